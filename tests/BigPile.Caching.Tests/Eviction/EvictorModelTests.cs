using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>The evictor beside a list of all entries as its model, checked after every step.</summary>
public sealed class EvictorModelTests
{
    private const int Capacity = 60;
    private const int MostShards = 16;

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 0)]
    [InlineData(3, 1 << 18)] // sixteen shards
    public void What_may_go_is_in_its_queue_after_every_step(int seed, long expected)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        using var host = new Entries();
        long limits = Math.Max(Capacity, expected);
        using var evictor = new Evictor(host, new TableCapacity(limits, limits));
        for (int step = 0; step < TestLeg.Steps(5_000, 300_000); step++)
        {
            string when = $"seed {seed}, step {step}";
            Step(random, host, evictor, when);
            InvariantChecks.At(when, () => Check(host, evictor));
        }
    }

    private static void Step(Random random, Entries host, Evictor evictor, string when)
    {
        switch (random.Next(8))
        {
            case < 4 when host.Count < Capacity:
                var priority = (EntryPriority)random.Next((int)EntryPriority.NeverEvict + 1);
                Add(random, host, evictor, priority);
                break;
            case 4 when host.Count != 0:
                host.Remove(random);
                break;
            case 5 when host.Count != 0:
                host.Use(random);
                break;
            default:
                Evict(random, host, evictor, when);
                break;
        }
    }

    // As at a limit in half of the cases: then one entry of its shard may be evicted first, of the lowest priority, up to its own.
    private static void Add(Random random, Entries host, Evictor evictor, EntryPriority priority)
    {
        ulong hash = host.NextHash(random);
        double weight = random.Next(1, 1_000);
        EntryQueue queue = evictor.QueueBelowCapacity(hash, priority);
        if (random.Next(2) == 0)
        {
            Entry[] before = [.. host.All];
            queue = evictor.Admit(hash, priority, weight, now: 0, out bool hasEvicted);
            Entry[] gone = [.. before.Except(host.All)];
            Assert.Equal(hasEvicted ? 1 : 0, gone.Length);
            IEnumerable<Entry> shard = before.Where(entry => entry.Hash % MostShards == hash % MostShards);
            EntryPriority most = shard.Select(entry => entry.Priority).Append(priority).Min();
            Assert.All(gone, entry => Assert.True(entry.Priority <= most));
        }
        host.Add(hash, priority, queue);
        evictor.Enter(hash, priority, weight, queue);
    }

    // The victim has the lowest priority present, no higher than the given one, and is not the pinned entry.
    private static void Evict(Random random, Entries host, Evictor evictor, string when)
    {
        var most = (EntryPriority)random.Next((int)EntryPriority.High + 1);
        ulong pinned = random.Next(2) == 0 || host.Count == 0 ? 0 : host.Any(random).Address;
        Entry[] candidates = [.. host.All.Where(entry => entry.Priority <= most && entry.Address != pinned)];
        Entry[] before = [.. host.All];
        bool isEvicted = evictor.TryEvict((ulong)random.Next(16), most, now: 0, pinned);
        Assert.True(isEvicted == (candidates.Length != 0), when);
        Entry[] gone = [.. before.Except(host.All)];
        Assert.True(gone.Length == (isEvicted ? 1 : 0), when);
        Assert.All(gone, entry => Assert.True(candidates.Contains(entry), when));
    }

    private static unsafe void Check(Entries host, Evictor evictor)
    {
        _ = new IndexCheck(host.Index).Run();
        evictor.CheckInvariants();
        EvictionCensus census = evictor.TakeCensus();
        for (ulong number = 0; number < host.Index.BucketCount; number++)
        {
            foreach (SlotPlace place in host.Index.SlotsOf(number))
            {
                EntryPriority priority = host.PriorityOf(place.Value.Address);
                bool isMain = place.Line->IsInMain(place.Slot);
                Invariant.Require(
                    priority == EntryPriority.NeverEvict || evictor.TryTake(census, place.Value.KnownHash(number), priority, isMain),
                    $"The entry at {place.Value.Address} of priority {priority} is in no queue (main: {isMain}).");
            }
        }
    }

    private readonly record struct Entry(ulong Hash, ulong Address, EntryPriority Priority);

    private sealed class Entries : IEvictionHost, IDisposable
    {
        private readonly Dictionary<ulong, Entry> _byAddress = [];
        private readonly List<ulong> _evicted = []; // hashes that come again, as those of entries that are missed
        private ulong _lastAddress;

        public TableIndex Index { get; } = new(new MemoryIndexStorage(), 0);

        public TableCapacity Capacity => new(EvictorModelTests.Capacity, EvictorModelTests.Capacity * 100);

        long IEvictionHost.Entries => Count;

        internal int Count => _byAddress.Count;

        internal IEnumerable<Entry> All => _byAddress.Values;

        public void Dispose() => Index.Dispose();

        public void Prefetch(IndexSlot slot)
        {
        }

        public bool MayHavePriorityLocked(SlotPlace place, EntryPriority priority) => PriorityOf(place.Value.Address) == priority;

        public double WeightLocked(SlotPlace place) => 1 + place.Value.Address % 1_000;

        public void EvictLocked(SlotPlace place, long now)
        {
            if (_byAddress.Remove(place.Value.Address, out Entry gone))
                _evicted.Add(gone.Hash);
            place.Store(default);
        }

        internal EntryPriority PriorityOf(ulong address) => _byAddress[address].Priority;

        internal Entry Any(Random random) => _byAddress.Values.ElementAt(random.Next(Count));

        internal ulong NextHash(Random random)
        {
            ulong hash = (ulong)random.NextInt64(1, 1L << IndexSlot.KnownHashBits);
            if (_evicted.Count != 0 && random.Next(2) == 0)
            {
                hash = _evicted[^1];
                _evicted.RemoveAt(_evicted.Count - 1);
            }
            return hash;
        }

        internal unsafe void Add(ulong hash, EntryPriority priority, EntryQueue queue)
        {
            var entry = new Entry(hash, ++_lastAddress, priority);
            using LockedBucket bucket = Index.Lock(entry.Hash);
            Assert.True(Index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out _));
            place.Line->SetFrequency(place.Slot, 0);
            place.Line->SetInMain(place.Slot, queue == EntryQueue.Main);
            place.Store(new IndexSlot(entry.Hash, entry.Address));
            _byAddress.Add(entry.Address, entry);
        }

        internal void Remove(Random random)
        {
            Entry entry = Any(random);
            using LockedBucket bucket = Index.Lock(entry.Hash);
            Assert.True(TryFindLocked(bucket, entry, out SlotPlace place));
            place.Store(default);
            _byAddress.Remove(entry.Address);
        }

        internal unsafe void Use(Random random)
        {
            Entry entry = Any(random);
            using LockedBucket bucket = Index.Lock(entry.Hash);
            Assert.True(TryFindLocked(bucket, entry, out SlotPlace place));
            place.Line->CountUse(place.Slot);
        }

        private static bool TryFindLocked(in LockedBucket bucket, Entry entry, out SlotPlace found)
        {
            foreach (SlotPlace place in bucket.Matching(entry.Hash))
            {
                found = place;
                if (place.Value.Address == entry.Address)
                    return true;
            }
            found = default;
            return false;
        }
    }
}
