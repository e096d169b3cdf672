using System;
using System.Diagnostics;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>
/// The eviction policy of a table: S3-FIFO (Yang and others, SOSP 2023) with admission duels, a frequency sketch (TinyLFU: Einziger and
/// others, 2017) where an entry leaves the small queue, and a small queue whose target follows the recent ghosts (after ARC: Megiddo and
/// Modha, FAST 2003).
/// </summary>
/// <remarks>
/// Filling: until the table is full for the first time, entries go to the main queue. So a loop over more keys than fit keeps a part.
/// Admission: a new entry goes to the small queue, unless it is a ghost, evicted a short time ago. A ghost begins a duel with the oldest
/// unused entry of the main queue, and goes to the main queue itself unless the entries there have been winning. While the small queue is
/// above its target, it goes there too: else a main queue below its share would stay so.
/// Eviction: while the small queue's weight reaches its target, its oldest entry leaves it: to the main queue if it was used twice, or if
/// it is estimated to be used more often than the oldest unused entry there, in proportion to their sizes; else it is evicted. Otherwise
/// the oldest unused entry of the main queue is evicted; used ones are reinserted with one use less. The steps of one eviction are bounded.
/// Target: a ghost that left the small queue last would still be there if that were a little larger; one that left the main queue last,
/// if that were. So the first raises the target, if it is admitted, and the second lowers it, each by its weight. If the duels say that the
/// main queue is of no use, older ghosts of the small queue raise the target too: of keys that are used a few times, and hardly again, the
/// later uses may be too far apart for the recent ghosts. A refused ghost lowers a large target.
/// Size: nothing depends on how many entries a newcomer replaces, so the claim of small old entries ages as that of large ones does.
/// </remarks>
internal sealed class DuelingS3Fifo(IPolicyHost host) : IEvictionPolicy
{
    private const int MaxSteps = 128; // entries visited for one eviction before any may go
    private const int HandSteps = 4; // entries of the main queue visited for an unused one
    private const int UsesToStay = 2;
    private const int Margin = 1; // by which the estimate of an entry of the small queue must exceed that of one of the main queue
    private const double InitialShare = 0.05;
    private const double MinShare = 0.01;
    private const double MaxShare = 0.9;
    private const double PartOfOld = 0.25; // of its weight, by which a ghost that is not recent raises the target
    private const double LargeShare = 0.2; // above this, each refused ghost lowers the target
    private const long LeastRemembered = 1024;
    private const int MostToldToSketch = 1 << 18; // one pause of a millisecond or two
    private const int BucketsAhead = 8; // queue positions by which buckets are prefetched
    private const int BlocksAhead = 4; // queue positions by which blocks are prefetched

    // All fields are guarded by the shard's lock.
    private readonly HashQueue _small = new();
    private readonly HashQueue _main = new();
    private readonly GhostList _ghosts = new();
    private readonly FrequencySketch _sketch = new();
    private readonly DuelList _duels = new(host.IsUsed);
    private TableCapacity _capacity = new(1, 1);
    private double _share = InitialShare; // target weight of the small queue, as a share of the capacity
    private double _entered; // the weight of all new entries, in capacities; the clock of the duels

    public long Count => _small.Count + _main.Count;

    public double Weight => _small.Weight + _main.Weight;

    public long SizeBytes => _small.SizeBytes + _main.SizeBytes + _ghosts.SizeBytes + _sketch.SizeBytes + _duels.SizeBytes;

    private double Target => Math.Max(_capacity.MeanWeight, _share * _capacity.Weight);

    public long NeededBytes(long capacity) => _small.SizeBytes + _main.SizeBytes
        + Math.Max(_ghosts.SizeBytes, _ghosts.NeededBytes(RememberedOf(capacity)))
        + Math.Max(_sketch.SizeBytes, _sketch.NeededBytes(RememberedOf(capacity)))
        + Math.Max(_duels.SizeBytes, DuelList.SizeBytesFor(capacity));

    public void SetCapacity(TableCapacity capacity)
    {
        Debug.Assert(capacity.Entries >= 1 && capacity.Weight > 0, "The capacity is at least one entry.");
        _capacity = capacity;
    }

    public bool Admit(uint fingerprint, double weight, bool isFull)
    {
        if (isFull)
            MakeReady();
        _entered += weight / _capacity.Weight;
        _duels.End(fingerprint, isMissed: true);
        _sketch.Add(fingerprint);
        GhostKind ghost = _ghosts.Take(fingerprint, out bool isRecent);
        if (ghost == GhostKind.None)
            return false;
        bool isAdmitted = !isFull || _main.Count == 0 || WinsOverMain(fingerprint);
        Retarget(ghost, isRecent, isAdmitted, weight / _capacity.Weight);
        return isAdmitted;
    }

    public void Enter(uint fingerprint, bool isInMain, double weight) => QueueOf(isInMain).Push(fingerprint, weight);

    public bool TryEvict()
    {
        MakeReady();
        for (int step = 1; Count != 0; step++)
        {
            if (IsSmallDue ? TryEvictFromSmall(step > MaxSteps) : TryEvictFromMain(step > MaxSteps))
                return true;
        }
        return false;
    }

    public void CheckOne()
    {
        Debug.Assert(Count != 0, "There is a fingerprint to check.");
        bool isInMain = _main.Count > _small.Count;
        uint fingerprint = QueueOf(isInMain).Pop();
        if (host.Visit(fingerprint, isInMain, VisitRule.Leave).Outcome == VisitOutcome.Kept)
            QueueOf(isInMain).Push(fingerprint);
    }

    public void DropRepeats()
    {
        QueueRepeats.Drop(_small, fingerprint => host.CountOf(fingerprint, isInMain: false));
        QueueRepeats.Drop(_main, fingerprint => host.CountOf(fingerprint, isInMain: true));
    }

    public void Prefetch(uint fingerprint)
    {
        _ghosts.Prefetch(fingerprint);
        _sketch.Prefetch(fingerprint);
    }

    public void ForEach(Action<uint, bool, double> visit)
    {
        _small.ForEach(fingerprint => visit(fingerprint, false, _small.MeanWeight));
        _main.ForEach(fingerprint => visit(fingerprint, true, _main.MeanWeight));
    }

    public void CheckInvariants(string place)
    {
        _small.CheckInvariants(place + ", small queue");
        _main.CheckInvariants(place + ", main queue");
        _ghosts.CheckInvariants(place);
        _sketch.CheckInvariants(place);
        _duels.CheckInvariants(place);
        Invariant.Require(_share is >= MinShare and <= MaxShare, $"{place}: the small queue's target is {_share} of the capacity.");
    }

    public void Clear()
    {
        _small.Clear();
        _main.Clear();
    }

    public void Dispose()
    {
        Clear();
        _ghosts.Dispose();
        _sketch.Dispose();
    }

    private HashQueue QueueOf(bool isInMain) => isInMain ? _main : _small;

    // The entries for which memory is taken: up to twice those that there are, as the capacity may be far more.
    private long RememberedOf(long capacity) => Math.Min(capacity, Math.Max(LeastRemembered, 2 * Count));

    // Called when the table is at its limit: only then the number of entries that fit a limit in bytes is known.
    private void MakeReady()
    {
        if (_sketch.Reserve(RememberedOf(_capacity.Entries)))
            _main.ForEach(_sketch.Add, MostToldToSketch);
    }

    // Where all that the hand visits is used, the main queue keeps what it has.
    private bool WinsOverMain(uint newcomer)
    {
        if (!TryFindUnused(out uint held))
            return false;
        _duels.Begin(newcomer, held, _entered, _capacity.Entries);
        return _duels.AdmitsNewcomers || _small.Weight > Target + _capacity.MeanWeight;
    }

    private void Retarget(GhostKind ghost, bool isRecent, bool isAdmitted, double step)
    {
        if (ghost == GhostKind.Main)
            _share -= isRecent ? step : 0;
        else if (isAdmitted && (isRecent || _duels.AreHeldOfNoUse))
            _share += isRecent ? step : PartOfOld * step;
        else if (!isAdmitted && _share > LargeShare)
            _share -= step;
        _share = Math.Clamp(_share, MinShare, MaxShare);
    }

    private bool IsSmallDue => _small.Count != 0 && (_main.Count == 0 || _small.Weight >= Target);

    private bool TryEvictFromMain(bool mustGo)
    {
        uint fingerprint = _main.Oldest;
        Visited visited = VisitHand(mustGo ? VisitRule.Evict : VisitRule.TakeUseOrEvict);
        if (visited.Outcome != VisitOutcome.Evicted)
            return false;
        Remember(fingerprint, GhostKind.Main, visited.Weight);
        return true;
    }

    private bool TryEvictFromSmall(bool mustGo)
    {
        uint fingerprint = _small.Pop();
        PrefetchAhead(_small);
        int estimate = _sketch.Estimate(fingerprint);
        // What can't exceed even an estimate of 0 goes without a comparison.
        VisitRule rule = mustGo ? VisitRule.Evict : new VisitRule(Math.Min(Margin - estimate, UsesToStay - 1), UsesToStay);
        Visited visited = host.Visit(fingerprint, isInMain: false, rule);
        if (visited.Uses != 0)
            _duels.End(fingerprint, isMissed: false);
        if (visited.Outcome == VisitOutcome.Kept)
        {
            bool isWorthMore = IsWorthMoreThanMain(estimate + visited.Uses - Margin, visited.Weight);
            visited = host.Visit(fingerprint, isInMain: false, isWorthMore ? VisitRule.Promote : VisitRule.Evict);
        }
        else if (visited.Outcome == VisitOutcome.Promoted)
        {
            _sketch.Add(fingerprint);
        }
        if (visited.Outcome == VisitOutcome.Promoted)
            _main.Push(fingerprint, visited.Weight);
        if (visited.Outcome != VisitOutcome.Evicted)
            return false;
        Remember(fingerprint, GhostKind.Small, visited.Weight);
        return true;
    }

    private void Remember(uint fingerprint, GhostKind queue, double weight) =>
        _ghosts.Add(fingerprint, queue, weight / _capacity.Weight, RememberedOf(_capacity.Entries));

    // An entry of several mean weights takes the place of as many others.
    private bool IsWorthMoreThanMain(int worth, double weight)
    {
        if (!TryFindUnused(out uint held))
            return false;
        double sizeRatio = _main.MeanWeight == 0 ? 1 : weight / _main.MeanWeight;
        return worth > _sketch.Estimate(held) * sizeRatio;
    }

    // Turns the hand to an unused entry of the main queue, which stays the oldest.
    private bool TryFindUnused(out uint fingerprint)
    {
        fingerprint = 0;
        for (int step = 0; step < HandSteps && _main.Count != 0; step++)
        {
            fingerprint = _main.Oldest;
            if (VisitHand(VisitRule.TakeUse) is { Outcome: VisitOutcome.Kept, Uses: 0 })
                return true;
        }
        return false;
    }

    // Visits the oldest entry of the main queue. A used one is reinserted; an unused one stays the oldest, or is evicted.
    private Visited VisitHand(VisitRule rule)
    {
        uint fingerprint = _main.Oldest;
        Visited visited = host.Visit(fingerprint, isInMain: true, rule);
        if (visited is { Outcome: VisitOutcome.Kept, Uses: 0 })
            return visited;
        _ = _main.Pop();
        PrefetchAhead(_main);
        if (visited.Outcome != VisitOutcome.Kept)
            return visited;
        _main.Push(fingerprint);
        _sketch.Add(fingerprint);
        _duels.End(fingerprint, isMissed: false);
        return visited;
    }

    // An eviction touches a bucket, its block, counters and a ghost, each a cache miss; so those of the next evictions are prefetched.
    private void PrefetchAhead(HashQueue queue)
    {
        if (queue.TryPeek(BucketsAhead, out uint far))
        {
            host.PrefetchBucket(far);
            Prefetch(far);
        }
        if (queue.TryPeek(BlocksAhead, out uint near))
            host.PrefetchBlock(near);
    }
}
