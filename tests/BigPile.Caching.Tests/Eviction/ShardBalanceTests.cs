using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>The shards of a large table have about the same weight, whatever is put and evicted.</summary>
public sealed class ShardBalanceTests
{
    private const int Entries = 200_000;
    private const int Shards = 16;
    private const double LeastShare = 0.6;

    [Fact]
    public void Where_a_limit_is_lowered()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = Fill(cache, new TableOptions("t") { MaxEntries = Entries });
        table.Configure(table.Options with { MaxEntries = Entries / 2 });
        Assert.InRange(LeastShareOf(table), LeastShare, 1);
    }

    [Fact]
    public void Where_entries_do_not_weigh_the_same()
    {
        int seed = TestLeg.Seed(1);
        var random = new Random(seed);
        byte[][] values = [new byte[16], new byte[1_000], new byte[100_000]];
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = Fill(cache, new TableOptions("t") { MaxBytes = 40 << 20 });
        var shares = new List<double>();
        for (int i = 0; i < TestLeg.Steps(150_000, 10_000_000); i++)
        {
            byte[] value = values[random.Next(1_000) switch { < 900 => 0, < 990 => 1, _ => 2 }];
            table.PutBytes(random.Next(10_000_000), value, out _);
            if (i % 5_000 == 0)
                shares.Add(LeastShareOf(table));
        }
        // by chance a few shards may have the largest entries for a while, but not for long
        Assert.True(shares.Average() > LeastShare, $"seed {seed}: a shard has {shares.Average():F3} of the mean");
        table.Core.CheckInvariants();
    }

    private static CacheTable<long, byte[]> Fill(PileCache cache, TableOptions options)
    {
        CacheTable<long, byte[]> table =
            cache.GetOrCreateTable<long, byte[]>(options with { CollisionMode = CollisionMode.Durable });
        for (long key = 1; key <= Entries; key++)
            table.PutBytes(-key, [1], out _);
        return table;
    }

    private static double LeastShareOf(CacheTable<long, byte[]> table)
    {
        double[] weights = table.Core.Limits.Evictor!.Weights();
        Assert.Equal(Shards, weights.Length);
        return weights.Min() / weights.Average();
    }
}
