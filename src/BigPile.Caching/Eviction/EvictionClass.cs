using System;
using System.Diagnostics;
using BigPile.Checking;
using static BigPile.Caching.Eviction.EvictionQueues;

namespace BigPile.Caching.Eviction;

/// <summary>
/// Chooses among the entries of one priority: S3-FIFO (Yang and others, SOSP 2023) with a small queue that finds its size by itself, a
/// sketch of how often keys came, and duels.
/// </summary>
/// <remarks>
/// Until the table is full for the first time, new entries fill the main queue: what came first is worth as much as what comes next, and
/// a loop that is longer than the table keeps a part of it. From then on a new entry goes to the small queue, unless it was evicted
/// lately. Then it takes the place of the oldest unused entry of the main queue if the sketch says that it came clearly more often; where
/// that says nothing the two enter a duel, and the newcomer takes the place only if newcomers have been winning them. A hit counts up to
/// three in the index, and moves nothing.
/// When room is needed: while the small queue weighs its target or more, its oldest entry goes, over to the main queue if it was used, or
/// if it came more often than an unused one there, which goes instead; else for good. Otherwise the oldest unused entry of the main queue
/// goes; used ones go back in with one use less. The target is a share of the capacity. It grows with each newcomer that is taken into
/// the main queue after the small one had let it go, and shrinks with each one that the main queue had let go, or that is refused. Where
/// duels only grow old, as nobody asks for what the main queue has, it grows with each one that is refused, and up to nearly all: else a
/// small queue that is too short for anything would stay so.
/// An entry that is heavier than others must be worth as much more as it is heavier, and room for it is made in the small queue first.
/// The number of steps for one eviction is bounded. Thread safety: none; the owner has a lock.
/// </remarks>
internal sealed class EvictionClass(ShardEntries entries, FrequencySketch sketch, EntryPriority priority) : IDisposable
{
    private const int MaxSteps = 128;
    private const int HandSteps = 8;
    private const int TargetStep = 2; // in entries
    private const double InitialShare = 0.06;
    private const double MinShare = 0.02;
    private const double MaxShare = 0.5;
    private const double MaxIdleShare = 0.95; // where the main queue is seen to be of no use
    private const double ShareWhereOneUseCounts = 0.3;
    private const int NewcomerMargin = 1;
    private const int SmallMargin = 1;
    private const double MostInDuel = 2; // in mean weights: a duel says nothing about an entry that replaces several

    private readonly EvictionQueues _queues = new(entries, sketch, priority);
    private TableCapacity _capacity = new(1, 1);
    private double _meanWeight = 1;
    private double _share = InitialShare;
    private long _entered;

    /// <summary>The hashes in both queues; some may be of entries that are gone.</summary>
    internal long Count => _queues.Count;

    /// <summary>About what its entries weigh together. May be asked without the lock.</summary>
    internal double Weight => _queues.Small.Weight + _queues.Main.Weight;

    internal long SizeBytes => _queues.SizeBytes;

    /// <summary>The same with what it takes when something is evicted from it as it is now.</summary>
    /// <param name="capacity">The entries that there is room for then.</param>
    internal long NeededBytes(long capacity) =>
        SizeBytes + _queues.MissingBytes(capacity);

    private double Target => Math.Max(_meanWeight, _share * _capacity.Weight);

    /// <summary>Sets what there is room for.</summary>
    internal void SetCapacity(TableCapacity capacity)
    {
        Debug.Assert(capacity.Entries >= 1 && capacity.Weight > 0, "There is room for an entry.");
        _capacity = capacity;
        _meanWeight = capacity.MeanWeight;
        if (_queues.Ghosts.Capacity != capacity.Entries)
            _queues.Ghosts.Adapt(capacity.Entries);
    }

    /// <summary>Decides in which queue a new entry will be, and evicts the one whose place it takes.</summary>
    /// <param name="fingerprint">The piece of its hash.</param>
    /// <param name="weight">What it weighs.</param>
    /// <param name="contends">Whether it has to take the place of another one of its priority.</param>
    /// <param name="now">The time.</param>
    /// <param name="hasEvicted">Whether it took the place of another one.</param>
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

    /// <summary>Enters a new entry. If its queue was decided on before, its mark says so.</summary>
    internal void Enter(uint fingerprint, double weight, EntryQueue queue)
    {
        if (queue == EntryQueue.Filling)
            _ = CountComing(fingerprint);
        else if (queue == EntryQueue.Undecided)
            queue = DecideAndMark(fingerprint, weight);
        (queue == EntryQueue.Small ? _queues.Small : _queues.Main).Push(fingerprint, weight);
    }

    /// <summary>Enters an entry that was there before there were queues.</summary>
    internal void EnterFound(uint fingerprint, bool isInMain) => QueueOf(isInMain).Push(fingerprint);

    /// <summary>Enters an entry that another class of the same priority has, as one that weighs what its queue says.</summary>
    internal void EnterFrom(EvictionClass other, uint fingerprint, bool isInMain)
    {
        double weight = other.QueueOf(isInMain).MeanWeight;
        if (weight == 0)
            EnterFound(fingerprint, isInMain);
        else
            QueueOf(isInMain).Push(fingerprint, weight);
    }

    /// <summary>Evicts one entry, if there is one that may go.</summary>
    /// <param name="smallWeight">What the entry weighs for which there has to be room in the small queue; 0: none.</param>
    /// <param name="pinnedAddress">The address of the block of an entry that stays; 0: none.</param>
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

    /// <summary>Brings what is remembered of a hash towards the processor. May run without the owner's lock.</summary>
    internal void PrefetchGhost(uint fingerprint) => _queues.Ghosts.Prefetch(fingerprint);

    /// <summary>Takes the oldest hash of the longer queue, and puts it back if its entry is still there.</summary>
    internal void CheckOne()
    {
        Debug.Assert(Count != 0, "There is a hash to check.");
        bool isMain = _queues.Main.Count > _queues.Small.Count;
        uint fingerprint = QueueOf(isMain).Pop();
        if (entries.Lives(new QueuedEntry(fingerprint, isMain, priority)))
            QueueOf(isMain).Push(fingerprint);
    }

    /// <summary>Looks whether the queues and what is remembered are whole.</summary>
    internal void CheckInvariants(string place)
    {
        _queues.Small.CheckInvariants(place + ", small queue");
        _queues.Main.CheckInvariants(place + ", main queue");
        _queues.Ghosts.CheckInvariants(place);
        _queues.Duels.CheckInvariants(place);
        Invariant.Require(_share is >= MinShare and <= MaxIdleShare, $"{place}: the small queue is to have {_share} of the room.");
    }

    /// <summary>Tells all hashes, and whether they are in the main queue.</summary>
    internal void ForEach(Action<uint, bool> visit)
    {
        _queues.Small.ForEach(fingerprint => visit(fingerprint, false));
        _queues.Main.ForEach(fingerprint => visit(fingerprint, true));
    }

    /// <summary>Counts the oldest entries of the main queue, each of which came once, when the sketch begins.</summary>
    internal void CountOldest(int most) => _queues.Main.ForEach(sketch.Add, most);

    internal void Clear()
    {
        _queues.Small.Clear();
        _queues.Main.Clear();
    }

    public void Dispose() => _queues.Dispose();

    // There was room for it, though others were evicted before: somebody has removed some.
    private EntryQueue DecideAndMark(uint fingerprint, double weight)
    {
        EntryQueue queue = Decide(fingerprint, weight, contends: false, now: 0, out bool hasEvicted);
        Debug.Assert(!hasEvicted, "What has its room takes nobody's place.");
        if (queue == EntryQueue.Main)
            entries.MarkMain(fingerprint, priority);
        return queue;
    }

    // That an entry came, and from where.
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

    // What the small queue lets go too early is refused for the sake of the main queue, and is worth more where that one is of no use.
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
        _queues.Promote(seen);
        return true;
    }

    // As many entries of the main queue go for it.
    private double SizeRatioOf(double weight)
    {
        double mean = _queues.Main.MeanWeight == 0 ? _meanWeight : _queues.Main.MeanWeight;
        return weight == mean ? 1 : weight / mean;
    }
}
