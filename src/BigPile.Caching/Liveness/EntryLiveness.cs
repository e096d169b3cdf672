using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tags;

namespace BigPile.Caching.Liveness;

/// <summary>Decides whether an entry whose block exists is live, visible and unexpired. Owns the uses that no block reflects yet.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed unsafe class EntryLiveness(TagMarks tags, CacheClock clock, VisibilityFloor visibility)
{
    private ReadBuffer? _uses; // created by the first record
    private double _refreshShare; // of a lifetime; 0: none

    /// <summary>
    /// From this share of a lifetime on entries are refreshed ahead, if there is one. A search that does not read the time has found an
    /// entry that is not due. No thread is in the table.
    /// </summary>
    internal void RefreshFrom(double? share) => _refreshShare = share ?? 0;

    /// <summary>The uses of sliding entries since their blocks were written; null before the first.</summary>
    internal ReadBuffer? UsesOrNull => Volatile.Read(ref _uses);

    /// <inheritdoc cref="UsesOrNull"/>
    internal ReadBuffer Uses =>
        Volatile.Read(ref _uses) ?? Interlocked.CompareExchange(ref _uses, new ReadBuffer(), null) ?? _uses;

    /// <summary>What an entry is. Ignores the visibility floor.</summary>
    /// <param name="head">The entry's head.</param>
    /// <param name="now">The present instant; 0: it is read if it is needed.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal EntryState Of(in EntryHead head, ref long now)
    {
        EntryState state = ByBlock(head, ref now);
        if (!state.IsOver() || !head.IsSliding)
            return state;
        return IsUsed(new SlidingUse(clock, head), now) || !IsOver(head, now) // the expiry may have been written just now
            ? EntryState.Live
            : state;
    }

    /// <summary>What the entry of a copied block is.</summary>
    internal EntryState Of(ReadOnlySpan<byte> block)
    {
        Debug.Assert(block.Length >= EntryHead.ShortBytes, "A block begins with a head.");
        fixed (byte* payload = block)
        {
            long now = 0; // read if needed
            return Of(new EntryHead(payload), ref now);
        }
    }

    /// <summary>
    /// What an entry is by its block alone. A sliding entry that is over here may have a later use in the read buffer.
    /// </summary>
    /// <param name="head">The entry's head.</param>
    /// <param name="now">The time; 0: the clock is read if needed. Set whenever the entry is over.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal EntryState ByBlock(in EntryHead head, ref long now)
    {
        // First: a clear concerns entries without tags and expiry as well.
        if (head.Version <= tags.ClearedUpTo)
            return EntryState.Invalidated;
        EntryState state = head.MayBeDead ? OfExpirable(head, ref now) : EntryState.Live;
        return state == EntryState.Live && head.Kind == ValueKind.Tombstone ? EntryState.Tombstone : state;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private EntryState OfExpirable(in EntryHead head, ref long now)
    {
        if (head.HasTags && tags.IsMarked(head))
            return EntryState.Invalidated;
        if (!head.HasExpiry)
            return EntryState.Live;
        if (now == 0)
            now = clock.BeforeLock; // 0 with the system's clock, which is read below
        if (now == 0)
        {
            // By an upper bound of the time, which is cheap: an entry that lives by it lives.
            long end = _refreshShare == 0 ? head.ExpiresAt : EntryTimes.PartOf(head.Version, head.ExpiresAt, _refreshShare);
            if (end > clock.NowAtMost)
                return EntryState.Live;
            now = clock.Now;
        }
        if (!IsOver(head, now))
            return EntryState.Live;
        return head.HasFailSafe && CacheClock.Add(ExpiryOf(head), head.FailSafeTicks) > now ? EntryState.Stale : EntryState.Expired;
    }

    /// <summary>What the API reports of an entry.</summary>
    internal EntryInfo Describe(in EntryHead head, int valueBytes) => head.HasExpiry
        ? clock.Describe(head.Version, valueBytes, ExpiryOf(head))
        : new EntryInfo(head.Version, valueBytes);

    /// <summary>Whether the expiry in the entry's block has passed.</summary>
    internal bool IsOver(in EntryHead head, long now) => head.ExpiresAt <= now && (!clock.HasSteps || clock.ExpiryOf(head) <= now);

    /// <summary>
    /// Whether a buffered use keeps a sliding entry alive that is expired by its block. If not, the end is final: its records are ended,
    /// and no later use can be recorded. So the caller must be certain that the block is the entry's.
    /// </summary>
    internal bool IsUsed(in SlidingUse use, long now) => UsesOrNull is { } buffer && buffer.IsAlive(use, clock, now);

    /// <summary>When the entry expires, or has expired: by its block, or by a later use in the read buffer.</summary>
    internal long ExpiryOf(in EntryHead head) => Math.Max(clock.ExpiryOf(head), UnwrittenExpiryOf(head));

    private long UnwrittenExpiryOf(in EntryHead head)
    {
        long used = head.IsSliding && UsesOrNull is { } buffer ? buffer.LastUseBeforeEndOf(head.Version) : 0;
        return used == 0 ? 0 : new SlidingUse(clock, head).EndAfter(used, clock);
    }

    /// <summary>The last use of a sliding entry that its block does not reflect yet; 0: none.</summary>
    internal long UnwrittenUseOf(in EntryHead head) => head.IsSliding && UsesOrNull is { } buffer ? buffer.LastUseOf(head.Version) : 0;

    /// <summary>Whether the key reads as missing though the index has an entry for it.</summary>
    internal bool IsNoneLocked(in EntryHead head, ref long now, bool readsStale = false) =>
        !visibility.Shows(head.Version) || !Of(head, ref now).IsReadable(readsStale);
}

/// <summary>Whether an entry is live, and if not, why.</summary>
internal enum EntryState : byte
{
    /// <summary>Live.</summary>
    Live,

    /// <summary>A tombstone, which records that the key was removed; see <see cref="Entries.ValueKind.Tombstone"/>.</summary>
    Tombstone,

    /// <summary>Expired, and kept for factories that fail: the key reads as missing to all others.</summary>
    Stale,

    /// <summary>Expired. May be freed.</summary>
    Expired,

    /// <summary>Removed by its tag or by a clear. May be freed.</summary>
    Invalidated,
}

/// <summary>What follows from the state of an entry.</summary>
internal static class EntryStateExtensions
{
    /// <summary>Whether a read finds the entry.</summary>
    internal static bool IsReadable(this EntryState state, bool readsStale) =>
        state == EntryState.Live || (state == EntryState.Stale && readsStale);

    /// <summary>Whether its time is over; a use that its block does not reflect yet may keep a sliding entry alive.</summary>
    internal static bool IsOver(this EntryState state) => state is EntryState.Stale or EntryState.Expired;

    /// <summary>Whether the key reads as missing though the entry was put: it is stale or dead.</summary>
    internal static bool HasEnded(this EntryState state) => state >= EntryState.Stale;

    /// <summary>Whether the entry may be freed. A tombstone, or a stale entry, is not live, but stays.</summary>
    internal static bool IsDead(this EntryState state) => state >= EntryState.Expired;

    /// <summary>The counter for the removal of an entry that is not live.</summary>
    internal static Counter Reason(this EntryState state) =>
        state == EntryState.Invalidated ? Counter.Removals : Counter.Expirations;
}
