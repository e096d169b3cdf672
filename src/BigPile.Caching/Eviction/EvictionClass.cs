using System;
using System.Diagnostics;
using BigPile.Memory.Checking;
using static BigPile.Caching.Eviction.EvictionQueues;

namespace BigPile.Caching.Eviction;

/// <summary>
/// The eviction policy for the entries of one priority: S3-FIFO (Yang and others, SOSP 2023), with a small queue of adaptive size, a
/// frequency sketch (TinyLFU), and admission duels.
/// </summary>
/// <remarks>
/// Filling: until the table is full for the first time, new entries go to the main queue. So a loop over more keys than fit keeps a part.
/// Admission: a new entry goes to the small queue, unless it is a ghost, evicted recently. A ghost replaces the oldest unused entry of the
/// main queue if its sketch estimate is clearly higher. If the estimates do not decide, the two enter a duel, and the ghost replaces the
/// entry only if newcomers have been winning duels. A hit raises the slot's frequency in the index, up to three, and moves nothing.
/// Eviction: while the small queue's weight reaches its target, its oldest entry leaves it. It is promoted to the main queue if it
/// was used, or if its estimate is above that of an unused entry there, which is evicted for it; else it is evicted. Otherwise
/// the oldest unused entry of the main queue is evicted; used ones are reinserted with one use less.
/// Target: a share of the capacity. It grows with each admitted ghost of the small queue, and shrinks with each ghost of the main queue
/// and each refused one. If duels only expire, the main queue's entries are unused: then the target grows with each refused ghost of the
/// small queue, up to nearly the whole capacity, or a small queue that is too short would stay so.
/// Size: an entry that is heavier than the mean must have an estimate that is higher in proportion, and the small queue makes space for it.
/// The number of steps for one eviction is bounded. Thread safety: none; the owner has a lock.
/// </remarks>
internal sealed class EvictionClass(ShardEntries entries, FrequencySketch sketch, EntryPriority priority) : IDisposable
{
    private const int MaxSteps = 128; // entries scanned for one eviction before any may go
    private const int HandSteps = 8; // entries of the main queue scanned for an unused one
    private const int TargetStep = 2; // in entries
    private const double InitialShare = 0.06;
    private const double MinShare = 0.02;
    private const double MaxShare = 0.5;
    private const double MaxIdleShare = 0.95; // if duels show that the main queue is useless
    private const double ShareWhereOneUseCounts = 0.3;
    private const int NewcomerMargin = 1; // by which a ghost's estimate must exceed that of the entry it replaces
    private const int SmallMargin = 1; // the same for an entry of the small queue
    private const double MostInDuel = 2; // in mean weights: a duel says nothing about an entry that replaces several

    // All fields are guarded by the shard's lock.
    private readonly EvictionQueues _queues = new(entries, sketch, priority);
    private TableCapacity _capacity = new(1, 1); // of the shard
    private double _meanWeight = 1; // of an entry, by the capacity
    private double _share = InitialShare; // target weight of the small queue, as a share of the capacity
    private long _entered; // new entries so far; the clock of the duels

    /// <summary>The number of fingerprints in both queues, including those of entries that no longer exist.</summary>
    internal long Count => _queues.Count;

    /// <summary>The estimated total weight of its entries. May be read without the lock.</summary>
    internal double Weight => _queues.Small.Weight + _queues.Main.Weight;

    internal long SizeBytes => _queues.SizeBytes;

    /// <summary><see cref="SizeBytes"/>, and the memory that the first eviction would allocate.</summary>
    /// <param name="capacity">The capacity at that time, in entries.</param>
    internal long NeededBytes(long capacity) =>
        SizeBytes + _queues.MissingBytes(capacity);

    private double Target => Math.Max(_meanWeight, _share * _capacity.Weight);

    internal void SetCapacity(TableCapacity capacity)
    {
        Debug.Assert(capacity.Entries >= 1 && capacity.Weight > 0, "The capacity is at least one entry.");
        _capacity = capacity;
        _meanWeight = capacity.MeanWeight;
        if (_queues.Ghosts.Capacity != capacity.Entries)
            _queues.Ghosts.Adapt(capacity.Entries);
    }

    /// <summary>Chooses the queue of a new entry, and evicts the entry that it replaces.</summary>
    /// <param name="fingerprint">The fingerprint of its key.</param>
    /// <param name="weight">Its weight.</param>
    /// <param name="contends">Whether it has to replace another entry of its priority.</param>
    /// <param name="now">The time.</param>
    /// <param name="hasEvicted">Whether it replaced another entry.</param>
    internal EntryQueue Decide(uint fingerprint, double weight, bool contends, long now, out bool hasEvicted)
    {
        hasEvicted = false;
        GhostKind ghost = CountComing(fingerprint);
        if (ghost == GhostKind.None)
            return EntryQueue.Small;
        hasEvicted = contends && TryReplace(fingerprint, weight, now);
        bool isTaken = hasEvicted || !contends;
        Retarget(ghost, isTaken);
        return isTaken ? EntryQueue.Main : EntryQueue.Small;
    }

    /// <summary>Enters a new entry. If its queue was chosen before, its main-queue bit in the index is set already.</summary>
    internal void Enter(uint fingerprint, double weight, EntryQueue queue)
    {
        if (queue == EntryQueue.Filling)
            _ = CountComing(fingerprint);
        else if (queue == EntryQueue.Undecided)
            queue = DecideAndMark(fingerprint, weight);
        (queue == EntryQueue.Small ? _queues.Small : _queues.Main).Push(fingerprint, weight);
    }

    /// <summary>Enters an entry that is older than the queues.</summary>
    internal void EnterFound(uint fingerprint, bool isInMain) => QueueOf(isInMain).Push(fingerprint);

    /// <summary>Enters an entry of another shard's class of the same priority, with the mean weight of its queue there.</summary>
    internal void EnterFrom(EvictionClass other, uint fingerprint, bool isInMain)
    {
        double weight = other.QueueOf(isInMain).MeanWeight;
        if (weight == 0)
            EnterFound(fingerprint, isInMain);
        else
            QueueOf(isInMain).Push(fingerprint, weight);
    }

    /// <summary>Evicts one entry, if there is one to evict.</summary>
    /// <param name="smallWeight">The weight of a new entry that the small queue has to make space for; 0: none.</param>
    /// <param name="pinnedAddress">The block address of an entry that must not be evicted; 0: none.</param>
    /// <param name="now">The time.</param>
    internal bool TryEvict(double smallWeight, ulong pinnedAddress, long now)
    {
        bool isEvicted = false;
        for (int step = 1; !isEvicted && Count != 0; step++)
        {
            isEvicted = IsSmallDue(smallWeight)
                ? TryEvictFromSmall(step > MaxSteps, pinnedAddress, now)
                : TryEvictFromMain(step > MaxSteps, pinnedAddress, now);
        }
        _queues.ReturnPinned();
        return isEvicted;
    }

    /// <summary>Prefetches the ghost of a fingerprint. May run without the owner's lock.</summary>
    internal void PrefetchGhost(uint fingerprint) => _queues.Ghosts.Prefetch(fingerprint);

    /// <summary>Pops the oldest fingerprint of the longer queue, and pushes it again if its entry still exists.</summary>
    internal void CheckOne()
    {
        Debug.Assert(Count != 0, "There is a hash to check.");
        bool isMain = _queues.Main.Count > _queues.Small.Count;
        uint fingerprint = QueueOf(isMain).Pop();
        if (entries.Lives(new QueuedEntry(fingerprint, isMain, priority)))
            QueueOf(isMain).Push(fingerprint);
    }

    /// <summary>Checks the invariants of queues, ghosts and duels.</summary>
    internal void CheckInvariants(string place)
    {
        _queues.Small.CheckInvariants(place + ", small queue");
        _queues.Main.CheckInvariants(place + ", main queue");
        _queues.Ghosts.CheckInvariants(place);
        _queues.Duels.CheckInvariants(place);
        Invariant.Require(_share is >= MinShare and <= MaxIdleShare, $"{place}: the small queue's target is {_share} of the capacity.");
    }

    /// <summary>Visits all fingerprints, and whether they are in the main queue.</summary>
    internal void ForEach(Action<uint, bool> visit)
    {
        _queues.Small.ForEach(fingerprint => visit(fingerprint, false));
        _queues.Main.ForEach(fingerprint => visit(fingerprint, true));
    }

    /// <summary>Adds the oldest fingerprints of the main queue to a new sketch, once each.</summary>
    internal void CountOldest(int most) => _queues.Main.ForEach(sketch.Add, most);

    internal void Clear()
    {
        _queues.Small.Clear();
        _queues.Main.Clear();
    }

    public void Dispose() => _queues.Dispose();

    // The table was full before, and removals have made space: the entry is within the capacity, and its queue was not chosen yet.
    private EntryQueue DecideAndMark(uint fingerprint, double weight)
    {
        EntryQueue queue = Decide(fingerprint, weight, contends: false, now: 0, out bool hasEvicted);
        Debug.Assert(!hasEvicted, "An entry that does not contend evicts none.");
        if (queue == EntryQueue.Main)
            entries.MarkMain(fingerprint, priority);
        return queue;
    }

    // Counts a new entry, and takes its ghost.
    private GhostKind CountComing(uint fingerprint)
    {
        _entered++;
        _queues.Duels.End(fingerprint, isMissed: true);
        sketch.Add(fingerprint);
        return _queues.Ghosts.Take(fingerprint);
    }

    private HashQueue QueueOf(bool isMain) => isMain ? _queues.Main : _queues.Small;

    private bool TryReplace(uint fingerprint, double weight, long now)
    {
        double sizeRatio = SizeRatioOf(weight);
        int worth = sketch.Estimate(fingerprint) - NewcomerMargin;
        var scan = new MainQueueScan(worth, sizeRatio, MustGo: false, EvenIfUsed: false, PinnedAddress: 0, now);
        ScanResult result = _queues.FindUnused(HandSteps, scan, out uint held);
        if (result != ScanResult.Unused || sizeRatio > MostInDuel)
            return result == ScanResult.Evicted;
        _queues.Duels.Begin(fingerprint, held, _entered, _capacity.Entries);
        return _queues.Duels.AdmitsNewcomers && _queues.ScanMain(scan with { MustGo = true, EvenIfUsed = true }) == ScanResult.Evicted;
    }

    // A refused ghost of the small queue was refused in favour of the main queue. If that one is idle, the small queue is too short.
    private void Retarget(GhostKind ghost, bool isTaken)
    {
        bool isIdle = _queues.Duels.AreIdle;
        int step = (ghost, isTaken) switch
        {
            (GhostKind.Small, true) => TargetStep,
            (GhostKind.Main, true) => -TargetStep,
            (GhostKind.Small, false) when isIdle => TargetStep,
            _ => isIdle ? 0 : -TargetStep,
        };
        double most = isIdle ? MaxIdleShare : Math.Max(_share, MaxShare);
        _share = Math.Clamp(_share + (double)step / _capacity.Entries, MinShare, Math.Max(_share, most));
    }

    private bool IsSmallDue(double smallWeight)
    {
        if (_queues.Small.Count == 0 || _queues.Main.Count == 0)
            return _queues.Small.Count != 0;
        double more = Math.Max(0, smallWeight - _queues.Small.MeanWeight);
        return _queues.Small.Weight + more >= Target;
    }

    private bool TryEvictFromMain(bool mustGo, ulong pinnedAddress, long now) =>
        _queues.ScanMain(new MainQueueScan(0, 0, MustGo: true, EvenIfUsed: mustGo, pinnedAddress, now)) == ScanResult.Evicted;

    private bool TryEvictFromSmall(bool mustGo, ulong pinnedAddress, long now)
    {
        int usesToStay = _queues.Duels.AdmitsNewcomers && _share < ShareWhereOneUseCounts ? 2 : 1;
        ScanResult result = _queues.PopSmall(new SmallQueueScan(usesToStay, SmallMargin, mustGo, pinnedAddress, now), out Seen seen);
        if (result != ScanResult.Doubtful)
            return result == ScanResult.Evicted;
        int worth = seen.Estimate + seen.Uses - SmallMargin;
        var mainScan = new MainQueueScan(worth, SizeRatioOf(seen.Weight), MustGo: false, EvenIfUsed: false, pinnedAddress, now);
        if (_queues.FindUnused(HandSteps, mainScan, out _) != ScanResult.Evicted)
            return _queues.EvictSmall(seen.Fingerprint, pinnedAddress, now);
        _queues.MoveToMain(seen);
        return true;
    }

    // The entry's weight in mean weights of the main queue.
    private double SizeRatioOf(double weight)
    {
        double mean = _queues.Main.MeanWeight == 0 ? _meanWeight : _queues.Main.MeanWeight;
        return weight == mean ? 1 : weight / mean;
    }
}
