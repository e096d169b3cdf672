using System;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Metrics;
using BigPile.Layout;

namespace BigPile.Caching.Tables;

/// <summary>Which entries are no more though their blocks are there, which are not shown yet, and until when they live.</summary>
internal static class EntryLife
{
    /// <summary>Whether an entry whose block is there is still one. What the walk for entries does not show yet may be live.</summary>
    /// <param name="core">The table.</param>
    /// <param name="head">The entry's head.</param>
    /// <param name="now">The present instant; 0: it is read if it is needed.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Liveness LivenessOf(this TableCore core, in EntryHead head, ref long now)
    {
        if (head.Version <= core.Tags.ClearedUpTo)
            return Liveness.Invalidated;
        Liveness liveness = head.MayBeDead ? core.LivenessOfMortal(head, ref now) : Liveness.Live;
        return liveness == Liveness.Live && head.Kind == ValueKind.Tombstone ? Liveness.Tombstone : liveness;
    }

    /// <summary>Whether who meets the entry may free it: a tombstone is none any more, and stays.</summary>
    internal static bool IsDead(this Liveness liveness) => liveness >= Liveness.Expired;

    /// <summary>What an entry that is none any more counts as.</summary>
    internal static Counter Reason(this Liveness liveness) =>
        liveness == Liveness.Invalidated ? Counter.Removals : Counter.Expirations;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Liveness LivenessOfMortal(this TableCore core, in EntryHead head, ref long now)
    {
        if (head.HasTags && core.Tags.IsMarked(head))
            return Liveness.Invalidated;
        if (!head.HasExpiry)
            return Liveness.Live;
        if (now == 0)
            now = core.Clock.Now;
        if (!core.IsOver(head, now))
            return Liveness.Live;
        if (!head.IsSliding || core.ReadBufferOrNull is not { } buffer)
            return Liveness.Expired;
        long used = buffer.LastUseOf(head.Payload);
        bool isOver = (used == 0 || core.RenewedExpiryOf(head, used) <= now) && core.IsOver(head, now); // it may have been written just now
        return isOver ? Liveness.Expired : Liveness.Live;
    }

    /// <summary>What a table tells of an entry.</summary>
    internal static EntryInfo Describe(this TableCore core, in EntryHead head, int valueBytes) => head.HasExpiry
        ? core.Clock.Describe(head.Version, valueBytes, core.ExpiryOf(head))
        : new EntryInfo(head.Version, valueBytes);

    private static bool IsOver(this TableCore core, in EntryHead head, long now) =>
        head.ExpiresAt <= now && (!core.Clock.HasSteps || core.Clock.ExpiryOf(head) <= now);

    /// <summary>The instant from which an entry is gone: what its block says, or what follows from a use that is not written yet.</summary>
    internal static long ExpiryOf(this TableCore core, in EntryHead head) =>
        Math.Max(core.Clock.ExpiryOf(head), core.ExpiryNotWritten(head));

    /// <summary>The expiry of a sliding entry that follows from a use which is not written yet; 0 where there is none.</summary>
    internal static long ExpiryNotWritten(this TableCore core, in EntryHead head)
    {
        long used = head.IsSliding && core.ReadBufferOrNull is { } buffer ? buffer.LastUseOf(head.Payload) : 0;
        return used == 0 ? 0 : core.RenewedExpiryOf(head, used);
    }

    /// <summary>
    /// Whether reads may show an entry, as far as the walk for entries goes; whether it is live is to be asked afterwards.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsShown(this TableCore core, in EntryHead head) => head.Version >= core.ShownFrom;

    /// <summary>Whether a key counts as missing though its entry is there.</summary>
    internal static bool IsNoneLocked(this TableCore core, in EntryHead head, ref long now) =>
        !core.IsShown(head) || core.LivenessOf(head, ref now) != Liveness.Live;

    /// <summary>The instant from which a sliding entry is gone that is used now.</summary>
    internal static long RenewedExpiryOf(this TableCore core, in EntryHead head, long now) =>
        Math.Min(core.Clock.SlidingEndOf(head), CacheClock.Add(now, head.SlidingTicks));

    /// <summary>
    /// Whether a pointer leads to an object. An entry is nobody's object: what has the pointer then was never the table's.
    /// </summary>
    internal static bool IsLive(this TableCore core, PilePointer pointer)
    {
        var size = default(SizeReader);
        return core.Pile.Reader.TryRead(pointer, ref size) && size.Kind != BlockKind.TableEntry;
    }
}
