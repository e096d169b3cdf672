using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>A second policy in the place of the usual one: a plain queue.</summary>
public sealed class ReplacedPolicyTests
{
    private const int Capacity = 500;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_plain_queue_evicts_in_the_order_of_the_puts(int seed)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        using var table = new ReplayedTable(Capacity, seed, makePolicy: static host => new FifoPolicy(host));
        var model = new Queue<int>();
        var evicted = new List<int>();
        for (int i = 0; i < TestLeg.Steps(20_000, 200_000); i++)
        {
            int key = random.Next(1_000);
            Assert.True(table.Access(key) == model.Contains(key), $"seed {seed}, step {i}");
            if (model.Contains(key))
                continue;
            if (model.Count == Capacity)
                evicted.Add(model.Dequeue());
            model.Enqueue(key);
        }
        Assert.Equal(evicted, table.Evicted);
    }

    [Fact]
    public void A_table_takes_another_policy()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable() with { MaxEntries = Capacity });
        using Evictor usual = table.Core.Limits.Evictor!;
        var capacity = new TableCapacity(Capacity, Capacity);
        table.Core.Limits.Use(
            new Evictor(new EvictionHost(table.Core), capacity, makePolicy: static host => new FifoPolicy(host)));
        for (int key = 0; key < 3 * Capacity; key++)
        {
            table.PutBytes(key, [1], out _);
            _ = table.TryGetInfo(0, out _); // no use keeps it
        }
        Assert.All(Enumerable.Range(0, 3 * Capacity), key => Assert.Equal(key >= 2 * Capacity, table.ContainsKey(key)));
        table.Core.CheckInvariants();
    }

    /// <summary>First in, first out. All are in the main queue.</summary>
    private sealed class FifoPolicy(IPolicyHost host) : IEvictionPolicy
    {
        private readonly Queue<uint> _queue = [];

        public long Count => _queue.Count;

        public double Weight => _queue.Count;

        public long SizeBytes => sizeof(uint) * _queue.Count;

        public long NeededBytes(long capacity) => SizeBytes;

        public void SetCapacity(TableCapacity capacity)
        {
        }

        public bool Admit(uint fingerprint, double weight, bool isFull) => true;

        public void Enter(uint fingerprint, bool isInMain, double weight) => _queue.Enqueue(fingerprint);

        public bool TryEvict()
        {
            while (_queue.TryDequeue(out uint oldest))
            {
                if (host.Visit(oldest, isInMain: true, VisitRule.Evict).Outcome == VisitOutcome.Evicted)
                    return true;
            }
            return false;
        }

        public void CheckOne()
        {
            uint oldest = _queue.Dequeue();
            if (host.Visit(oldest, isInMain: true, VisitRule.Leave).Outcome == VisitOutcome.Kept)
                _queue.Enqueue(oldest);
        }

        public void DropRepeats()
        {
        }

        public void Prefetch(uint fingerprint)
        {
        }

        public void ForEach(Action<uint, bool, double> visit)
        {
            foreach (uint fingerprint in _queue)
                visit(fingerprint, true, 1);
        }

        public void CheckInvariants(string place)
        {
        }

        public void Clear() => _queue.Clear();

        public void Dispose()
        {
        }
    }
}
