using System;
using System.Runtime.CompilerServices;
using BigPile.Access;
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
        Liveness liveness = core.LivenessByBlock(head, ref now);
        if (liveness != Liveness.Expired || !head.IsSliding)
            return liveness;
        return core.IsUsed(new SlidingUse(core.Clock, head), now) || !core.IsOver(head, now) // written just now, perhaps
            ? Liveness.Live
            : Liveness.Expired;
    }

    /// <summary>What an entry is by its block alone: a sliding one that has expired may have been used since that was written.</summary>
    /// <param name="core">The table.</param>
    /// <param name="head">The entry's head.</param>
    /// <param name="now">The present instant; 0: it is read if it is needed, and needed where the entry has expired.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Liveness LivenessByBlock(this TableCore core, in EntryHead head, ref long now)
    {
        if (head.Version <= core.Tags.ClearedUpTo)
            return Liveness.Invalidated;
        Liveness liveness = head.MayBeDead ? core.LivenessOfExpirable(head, ref now) : Liveness.Live;
        return liveness == Liveness.Live && head.Kind == ValueKind.Tombstone ? Liveness.Tombstone : liveness;
    }

    /// <summary>Whether who meets the entry may free it: a tombstone is none any more, and stays.</summary>
    internal static bool IsDead(this Liveness liveness) => liveness >= Liveness.Expired;

    /// <summary>What an entry that is none any more counts as.</summary>
    internal static Counter Reason(this Liveness liveness) =>
        liveness == Liveness.Invalidated ? Counter.Removals : Counter.Expirations;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Liveness LivenessOfExpirable(this TableCore core, in EntryHead head, ref long now)
    {
        if (head.HasTags && core.Tags.IsMarked(head))
            return Liveness.Invalidated;
        if (!head.HasExpiry)
            return Liveness.Live;
        if (now == 0)
            now = core.Clock.BeforeLock;
        if (now == 0)
        {
            if (head.ExpiresAt > core.Clock.NowAtMost)
                return Liveness.Live;
            now = core.Clock.Now;
        }
        return core.IsOver(head, now) ? Liveness.Expired : Liveness.Live;
    }

    /// <summary>What a table tells of an entry.</summary>
    internal static EntryInfo Describe(this TableCore core, in EntryHead head, int valueBytes) => head.HasExpiry
        ? core.Clock.Describe(head.Version, valueBytes, core.ExpiryOf(head))
        : new EntryInfo(head.Version, valueBytes);

    /// <summary>Whether an entry has expired by what its block says.</summary>
    internal static bool IsOver(this TableCore core, in EntryHead head, long now) =>
        head.ExpiresAt <= now && (!core.Clock.HasSteps || core.Clock.ExpiryOf(head) <= now);

    /// <summary>
    /// Whether a use keeps a sliding entry alive that has expired by its block. If not, it has ended: the block must be the entry's.
    /// </summary>
    internal static bool IsUsed(this TableCore core, in SlidingUse use, long now) =>
        core.ReadBufferOrNull is { } buffer && buffer.IsAlive(use, core.Clock, now);

    /// <summary>The instant from which an entry is gone: what its block says, or what follows from a use that is not written yet.</summary>
    internal static long ExpiryOf(this TableCore core, in EntryHead head) =>
        Math.Max(core.Clock.ExpiryOf(head), core.UnwrittenExpiryOf(head));

    private static long UnwrittenExpiryOf(this TableCore core, in EntryHead head)
    {
        long used = core.UnwrittenUseOf(head);
        return used == 0 ? 0 : new SlidingUse(core.Clock, head).EndAfter(used, core.Clock);
    }

    /// <summary>The last use of a sliding entry that is not written yet; 0 where there is none.</summary>
    internal static long UnwrittenUseOf(this TableCore core, in EntryHead head) =>
        head.IsSliding && core.ReadBufferOrNull is { } buffer ? buffer.LastUseOf(head.Version) : 0;

    /// <summary>
    /// Whether reads may show an entry, as far as the walk for entries goes; whether it is live is to be asked afterwards.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsVisible(this TableCore core, in EntryHead head) => head.Version >= core.VisibilityFloor;

    /// <summary>Whether a key counts as missing though its entry is there.</summary>
    internal static bool IsNoneLocked(this TableCore core, in EntryHead head, ref long now) =>
        !core.IsVisible(head) || core.LivenessOf(head, ref now) != Liveness.Live;

    /// <summary>
    /// Whether a pointer leads to an object. An entry is nobody's object: what has the pointer then was never the table's.
    /// </summary>
    internal static bool IsLive(this TableCore core, PilePointer pointer)
    {
        var size = default(SizeReader);
        return core.Pile.Reader.TryRead(pointer, ref size) && size.Kind != BlockKind.TableEntry;
    }
}
