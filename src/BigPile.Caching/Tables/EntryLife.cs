using System;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Metrics;
using BigPile.Layout;

namespace BigPile.Caching.Tables;

/// <summary>Decides whether an entry whose block exists is live, visible and unexpired.</summary>
internal static class EntryLife
{
    /// <summary>Whether an entry is live. Ignores the visibility floor.</summary>
    /// <param name="core">The table.</param>
    /// <param name="head">The entry's head.</param>
    /// <param name="now">The present instant; 0: it is read if it is needed.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Liveness LivenessOf(this TableCore core, in EntryHead head, ref long now)
    {
        Liveness liveness = core.LivenessByBlock(head, ref now);
        if (liveness != Liveness.Expired || !head.IsSliding)
            return liveness;
        return core.IsUsed(new SlidingUse(core.Clock, head), now) || !core.IsOver(head, now) // the expiry may have been written just now
            ? Liveness.Live
            : Liveness.Expired;
    }

    /// <summary>
    /// What an entry is by its block alone. A sliding entry that is expired here may have a later use in the read buffer.
    /// </summary>
    /// <param name="core">The table.</param>
    /// <param name="head">The entry's head.</param>
    /// <param name="now">The time; 0: the clock is read if needed. Set whenever the result is <see cref="Liveness.Expired"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Liveness LivenessByBlock(this TableCore core, in EntryHead head, ref long now)
    {
        // First: a clear concerns entries without tags and expiry as well.
        if (head.Version <= core.Tags.ClearedUpTo)
            return Liveness.Invalidated;
        Liveness liveness = head.MayBeDead ? core.LivenessOfExpirable(head, ref now) : Liveness.Live;
        return liveness == Liveness.Live && head.Kind == ValueKind.Tombstone ? Liveness.Tombstone : liveness;
    }

    /// <summary>Whether the entry may be freed. A tombstone is not live, but stays.</summary>
    internal static bool IsDead(this Liveness liveness) => liveness >= Liveness.Expired;

    /// <summary>The counter for the removal of a dead entry.</summary>
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
            now = core.Clock.BeforeLock; // 0 with the system's clock, which is read below
        if (now == 0)
        {
            // By an upper bound of the time, which is cheap: an entry that lives by it lives.
            if (head.ExpiresAt > core.Clock.NowAtMost)
                return Liveness.Live;
            now = core.Clock.Now;
        }
        return core.IsOver(head, now) ? Liveness.Expired : Liveness.Live;
    }

    /// <summary>What the API reports of an entry.</summary>
    internal static EntryInfo Describe(this TableCore core, in EntryHead head, int valueBytes) => head.HasExpiry
        ? core.Clock.Describe(head.Version, valueBytes, core.ExpiryOf(head))
        : new EntryInfo(head.Version, valueBytes);

    /// <summary>Whether the expiry in the entry's block has passed.</summary>
    internal static bool IsOver(this TableCore core, in EntryHead head, long now) =>
        head.ExpiresAt <= now && (!core.Clock.HasSteps || core.Clock.ExpiryOf(head) <= now);

    /// <summary>
    /// Whether a buffered use keeps a sliding entry alive that is expired by its block. If not, the end is final: its records are ended,
    /// and no later use can be recorded. So the caller must be certain that the block is the entry's.
    /// </summary>
    internal static bool IsUsed(this TableCore core, in SlidingUse use, long now) =>
        core.ReadBufferOrNull is { } buffer && buffer.IsAlive(use, core.Clock, now);

    /// <summary>When the entry expires: by its block, or by a later use in the read buffer.</summary>
    internal static long ExpiryOf(this TableCore core, in EntryHead head) =>
        Math.Max(core.Clock.ExpiryOf(head), core.UnwrittenExpiryOf(head));

    private static long UnwrittenExpiryOf(this TableCore core, in EntryHead head)
    {
        long used = core.UnwrittenUseOf(head);
        return used == 0 ? 0 : new SlidingUse(core.Clock, head).EndAfter(used, core.Clock);
    }

    /// <summary>The last use of a sliding entry that its block does not reflect yet; 0: none.</summary>
    internal static long UnwrittenUseOf(this TableCore core, in EntryHead head) =>
        head.IsSliding && core.ReadBufferOrNull is { } buffer ? buffer.LastUseOf(head.Version) : 0;

    /// <summary>Whether the entry is at or above the visibility floor. Does not check that it is live.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsVisible(this TableCore core, in EntryHead head) => head.Version >= core.VisibilityFloor;

    /// <summary>Whether the key reads as missing though the index has an entry for it.</summary>
    internal static bool IsNoneLocked(this TableCore core, in EntryHead head, ref long now) =>
        !core.IsVisible(head) || core.LivenessOf(head, ref now) != Liveness.Live;

    /// <summary>Whether a pointer names a live object. A table entry does not count: it is never owned by another entry.</summary>
    internal static bool IsLive(this TableCore core, PilePointer pointer)
    {
        var size = default(SizeReader);
        return core.Pile.Reader.TryRead(pointer, ref size) && size.Kind != BlockKind.TableEntry;
    }
}
