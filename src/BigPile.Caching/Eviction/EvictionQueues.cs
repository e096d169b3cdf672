using System;
using System.Diagnostics;
using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>The queues of the entries of one priority, what is remembered of those that left them, and looks at their entries.</summary>
/// <remarks>
/// The oldest entry of the main queue is its hand: it is looked at where it is, and leaves the queue once that is decided. Whoever is
/// seen in use here is told to the sketch and ends its duel, after the lock of its bucket was left. An entry that is spared leaves its
/// queue until <see cref="ReturnSpared"/>: at once, it would be the next one of a short queue again and again. Thread safety: none; the
/// owner has a lock, and those of buckets come after it.
/// </remarks>
internal sealed unsafe class EvictionQueues : IDisposable
{
    private const int BucketsAhead = 8;
    private const int BlocksAhead = 4;

    private readonly ShardEntries _entries;
    private readonly FrequencySketch _sketch;
    private readonly EntryPriority _priority;
    private uint? _spared;
    private bool _isSparedMain;

    internal EvictionQueues(ShardEntries entries, FrequencySketch sketch, EntryPriority priority)
    {
        _entries = entries;
        _sketch = sketch;
        _priority = priority;
        Duels = new DuelList(piece => entries.IsUsed(piece, priority));
    }

    internal HashQueue Small { get; } = new();

    internal HashQueue Main { get; } = new();

    internal GhostList Ghosts { get; } = new();

    internal DuelList Duels { get; }

    /// <summary>The hashes in both queues; some may be of entries that are gone.</summary>
    internal long Count => Small.Count + Main.Count;

    internal long SizeBytes => Small.SizeBytes + Main.SizeBytes + Ghosts.SizeBytes + Duels.SizeBytes;

    /// <summary>What it takes beside <see cref="SizeBytes"/> once something is evicted.</summary>
    /// <param name="capacity">The entries that there is room for then.</param>
    internal long MissingBytes(long capacity) =>
        Math.Max(0, GhostList.SizeBytesFor(capacity, Count) - Ghosts.SizeBytes)
        + Math.Max(0, DuelList.SizeBytesFor(capacity) - Duels.SizeBytes);

    /// <summary>Takes the oldest hash of the small queue, and looks at its entry.</summary>
    /// <param name="order">What is asked for.</param>
    /// <param name="seen">What was seen: an entry that was used enough has gone over to the main queue.</param>
    internal Sight PopSmall(in SmallOrder order, out Seen seen)
    {
        uint piece = Small.Pop();
        PrefetchAhead(Small);
        seen = new Seen(piece, _sketch.Estimate(piece), 0, 0);
        Sight sight = ScanSmall(order, ref seen);
        if (sight == Sight.InUse)
        {
            _sketch.Add(piece);
            Main.Push(piece, seen.Weight);
        }
        if (seen.Uses != 0)
            Duels.End(piece, isMissed: false);
        return sight;
    }

    /// <summary>
    /// Looks at the oldest hash of the main queue: what is in use goes back behind all others with one use less, what is not may go.
    /// </summary>
    internal Sight ScanMain(in MainOrder order)
    {
        uint piece = Main.Oldest;
        Sight sight = ScanMain(piece, order);
        if (sight == Sight.Unused)
            return sight;
        _ = Main.Pop();
        PrefetchAhead(Main);
        if (sight != Sight.InUse)
            return sight;
        Main.Push(piece);
        _sketch.Add(piece);
        Duels.End(piece, isMissed: false);
        return sight;
    }

    /// <summary>Finds an entry of the main queue that is not in use; it is evicted, or left the oldest.</summary>
    internal Sight FindUnused(int steps, in MainOrder order, out uint piece)
    {
        for (int step = 0; step < steps && Main.Count != 0; step++)
        {
            piece = Main.Oldest;
            Sight sight = ScanMain(order);
            if (sight is Sight.Unused or Sight.Evicted)
                return sight;
        }
        piece = 0;
        return Sight.Gone;
    }

    /// <summary>Evicts an entry whose hash was taken out of the small queue.</summary>
    /// <returns>Whether it was still there.</returns>
    internal bool EvictSmall(uint piece, ulong sparedAddress, long now)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(piece));
        if (!TryFindLocked(bucket, piece, isMain: false, sparedAddress, out SlotPlace place))
            return false;
        EvictLocked(place, piece, GhostKind.Small, now);
        return true;
    }

    /// <summary>Has an entry whose hash was taken out of the small queue go over to the main queue.</summary>
    internal void GoOver(in Seen seen)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(seen.Piece));
        if (!TryFindLocked(bucket, seen.Piece, isMain: false, sparedAddress: 0, out SlotPlace place))
            return;
        GoOverLocked(place);
        Main.Push(seen.Piece, seen.Weight);
    }

    /// <summary>Puts the entry back that was spared, if it was met.</summary>
    internal void ReturnSpared()
    {
        if (_spared is { } piece)
            (_isSparedMain ? Main : Small).Push(piece);
        _spared = null;
    }

    public void Dispose()
    {
        Small.Dispose();
        Main.Dispose();
        Ghosts.Dispose();
    }

    private static void GoOverLocked(SlotPlace place)
    {
        place.Line->SetFrequency(place.Slot, 0);
        place.Line->SetInMain(place.Slot, true);
    }

    private Sight ScanSmall(in SmallOrder order, ref Seen seen)
    {
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(seen.Piece));
        if (!TryFindLocked(bucket, seen.Piece, isMain: false, order.SparedAddress, out SlotPlace place))
            return Sight.Gone;
        seen = seen with { Uses = place.Line->Frequency(place.Slot), Weight = _entries.Host.WeightLocked(place) };
        if (!order.MustGo && seen.Uses >= order.UsesToStay)
        {
            GoOverLocked(place);
            return Sight.InUse;
        }
        if (!order.MustGo && seen.Estimate + seen.Uses > order.LeastDoubt)
            return Sight.Doubtful;
        EvictLocked(place, seen.Piece, GhostKind.Small, order.Now);
        return Sight.Evicted;
    }

    private Sight ScanMain(uint piece, in MainOrder order)
    {
        bool mayGo = order.MustGo || (order.Worth > 0 && order.Worth > _sketch.Estimate(piece) * order.Burden);
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(piece));
        if (!TryFindLocked(bucket, piece, isMain: true, order.SparedAddress, out SlotPlace place))
            return Sight.Gone;
        int uses = place.Line->Frequency(place.Slot);
        if (uses != 0 && !order.EvenIfUsed)
        {
            place.Line->SetFrequency(place.Slot, uses - 1);
            return Sight.InUse;
        }
        if (!mayGo)
            return Sight.Unused;
        EvictLocked(place, piece, GhostKind.Main, order.Now);
        return Sight.Evicted;
    }

    private void EvictLocked(SlotPlace place, uint piece, GhostKind kind, long now)
    {
        _entries.Host.EvictLocked(place, now);
        Debug.Assert(place.Value.IsEmpty, "What was evicted has left the index.");
        Ghosts.Add(piece, kind, Count);
    }

    private bool TryFindLocked(in LockedBucket bucket, uint piece, bool isMain, ulong sparedAddress, out SlotPlace place)
    {
        var wanted = new QueuedEntry(piece, isMain, _priority);
        if (_entries.TryFindLocked(bucket, wanted, sparedAddress, out place))
            return true;
        if (sparedAddress != 0 && _entries.TryFindLocked(bucket, wanted, sparedAddress: 0, out _))
            (_spared, _isSparedMain) = (piece, isMain);
        return false;
    }

    // Each eviction touches a bucket, the block that it leads to, counters and a ghost: all of them far from those of the one before.
    private void PrefetchAhead(HashQueue queue)
    {
        if (queue.TryPeek(BucketsAhead, out uint far))
        {
            _entries.PrefetchBucket(far);
            Ghosts.Prefetch(far);
            _sketch.Prefetch(far);
        }
        if (queue.TryPeek(BlocksAhead, out uint near))
            _entries.PrefetchBlock(near);
    }

    /// <summary>What a look at an entry said.</summary>
    internal enum Sight
    {
        /// <summary>There is no such entry any more, or it is the one that stays; its hash has left its queue.</summary>
        Gone,

        /// <summary>It was used, and is the youngest of the main queue now.</summary>
        InUse,

        /// <summary>It was not used, and stays nevertheless.</summary>
        Unused,

        /// <summary>It was not used enough, but may be worth more than one of the main queue.</summary>
        Doubtful,
        Evicted,
    }

    /// <summary>What is asked for of the oldest entry of the small queue.</summary>
    /// <param name="UsesToStay">The uses that let it go over to the main queue.</param>
    /// <param name="LeastDoubt">Up to which estimate and uses together it is evicted without a further look.</param>
    /// <param name="MustGo">Whether it is evicted whatever it is worth.</param>
    /// <param name="SparedAddress">The address of the block of an entry that stays; 0: none.</param>
    /// <param name="Now">The time.</param>
    internal readonly record struct SmallOrder(int UsesToStay, int LeastDoubt, bool MustGo, ulong SparedAddress, long Now);

    /// <summary>What is asked for of the oldest entries of the main queue.</summary>
    /// <param name="Worth">What another one is worth beyond its margin: one that is not used and came less often goes for it.</param>
    /// <param name="Burden">As how many entries the other one counts.</param>
    /// <param name="MustGo">Whether one goes that is not used, whatever it is worth.</param>
    /// <param name="EvenIfUsed">Whether the oldest one goes, used or not.</param>
    /// <param name="SparedAddress">The address of the block of an entry that stays; 0: none.</param>
    /// <param name="Now">The time.</param>
    internal readonly record struct MainOrder(int Worth, double Burden, bool MustGo, bool EvenIfUsed, ulong SparedAddress, long Now);

    /// <summary>What was seen of an entry of the small queue.</summary>
    internal readonly record struct Seen(uint Piece, int Estimate, int Uses, double Weight);
}
