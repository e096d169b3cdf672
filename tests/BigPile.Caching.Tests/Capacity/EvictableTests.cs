using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>After any sequence of operations, entries that may be evicted can be, and the pinned ones stay.</summary>
public sealed class EvictableTests : IDisposable
{
    private const int Keys = 60;

    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    [InlineData(4, true)]
    public void Every_entry_that_may_go_is_in_the_queue_that_its_place_says(int seed, bool isHashPoor)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        CacheTable<string, byte[]> table = _cache.GetOrCreateTable<string, byte[]>(
            TestCache.Durable() with { MaxEntries = 25 }, isHashPoor ? new PoorHash() : null);
        for (int step = 0; step < TestLeg.Steps(6_000, 2_000_000); step++)
        {
            Take(table, random);
            table.Core.CheckInvariantsAt($"seed {seed}, step {step}");
        }
        foreach (TableEntry<string> entry in table.Entries.ToArray())
        {
            if (entry.Priority == EntryPriority.NeverEvict)
                table.Remove(entry.Key);
        }
        table.Configure(TestCache.Durable() with { MaxEntries = 25 });
        for (int i = 0; i < 1000; i++)
            Assert.NotEqual(PutResult.Collision, table.Put($"new {i}", [], new EntryOptions { Priority = EntryPriority.High }));
    }

    [Fact]
    public void Used_entries_that_are_put_again_with_lower_priority_go_first()
    {
        CacheTable<int, int> table = _cache.GetOrCreateTable<int, int>(TestCache.Durable() with { MaxEntries = 10 });
        for (int key = 0; key < 10; key++)
            table.Put(key, key);
        for (int use = 0; use < 30; use++)
            table.TryGet(use % 10, out _);
        table.Put(100, 0); // the used ones are in the main queue now
        foreach (int key in table.Keys.ToArray())
            table.Put(key, key, new EntryOptions { Priority = EntryPriority.Low });
        for (int key = 1000; key < 1010; key++)
            table.Put(key, key, new EntryOptions { Priority = EntryPriority.High });
        Assert.All(table.Keys, key => Assert.InRange(key, 1000, 1009));
    }

    [Theory]
    [InlineData(CollisionMode.Durable)]
    [InlineData(CollisionMode.Speculative)]
    public void A_pinned_entry_stays_whatever_the_hashes_of_others(CollisionMode mode)
    {
        CacheTable<string, int> table = _cache.GetOrCreateTable<string, int>(
            new TableOptions("t") { CollisionMode = mode, MaxEntries = 10 }, new PoorHash());
        for (int i = 0; i < 3; i++)
            table.Put($"pinned {i}", i, new EntryOptions { Priority = EntryPriority.NeverEvict });
        for (int i = 0; i < 1000; i++)
            table.Put($"other {i}", i);
        Assert.All(Enumerable.Range(0, 3), i => Assert.True(table.ContainsKey($"pinned {i}")));
        table.Core.CheckInvariants();
    }

    private static void Take(CacheTable<string, byte[]> table, Random random)
    {
        string key = $"key {random.Next(Keys)}";
        var options = new EntryOptions { Priority = PriorityOf(random) };
        switch (random.Next(12))
        {
            case 0:
                table.Remove(key);
                break;
            case 1 or 2:
                table.Touch(key, options);
                break;
            case 3:
                table.Put(key, new byte[random.Next(300)]);
                break;
            case 4 when random.Next(100) == 0:
                table.Configure(LimitsOf(random));
                break;
            case < 8:
                table.Put(key, new byte[random.Next(300)], options);
                break;
            default:
                table.TryGet(key, out _);
                break;
        }
    }

    // Pinned entries are rare; otherwise they would soon be the only ones.
    private static EntryPriority PriorityOf(Random random) =>
        random.Next(40) == 0 ? EntryPriority.NeverEvict : (EntryPriority)random.Next((int)EntryPriority.NeverEvict);

    private static TableOptions LimitsOf(Random random) => random.Next(3) switch
    {
        0 => TestCache.Durable(),
        1 => TestCache.Durable() with { MaxBytes = 1 << 20 },
        _ => TestCache.Durable() with { MaxEntries = random.Next(5, 40) },
    };

    /// <summary>Gives all keys one of three hashes.</summary>
    private sealed class PoorHash : IEqualityComparer<string>
    {
        public bool Equals(string? x, string? y) => x == y;

        public int GetHashCode(string key) => key.Length % 3;
    }
}
