using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

public sealed class CacheRestartTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Tables_come_back_with_their_keys_values_and_versions()
    {
        var versions = new Dictionary<long, ulong>();
        using (PileCache cache = Open())
        {
            CacheTable<long, byte[]> longs = cache.GetOrCreateTable<long, byte[]>("longs");
            for (long key = 0; key < 5_000; key++)
            {
                longs.PutBytes(key, BitConverter.GetBytes(key * 3), out EntryInfo info);
                versions[key] = info.Version;
            }
            cache.GetOrCreateTable<string, string>("strings").Put("schlüssel", "wert");
            cache.GetOrCreateTable<Guid, string?>("guids").Put(Guid.Empty, null);
        }
        for (int round = 0; round < 3; round++)
        {
            using PileCache cache = Open();
            Assert.Equal(["guids", "longs", "strings"], cache.TableNames);
            CacheTable<long, byte[]> longs = cache.GetOrCreateTable<long, byte[]>("longs");
            Assert.Equal(5_000, longs.Count);
            for (long key = 0; key < 5_000; key++)
            {
                Assert.Equal(key * 3, BitConverter.ToInt64(longs.Get(key)));
                Assert.True(longs.TryGetInfo(key, out EntryInfo info));
                Assert.Equal(versions[key], info.Version);
            }
            Assert.Equal("wert", cache.GetOrCreateTable<string, string>("strings").Get("schlüssel"));
            Assert.True(cache.GetOrCreateTable<Guid, string?>("guids").TryGet(Guid.Empty, out string? none));
            Assert.Null(none);
        }
    }

    [Fact]
    public void Versions_go_on_after_a_restart_even_when_the_youngest_entries_were_removed()
    {
        ulong last;
        using (PileCache cache = Open())
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            table.PutBytes(1, [1], out _);
            table.PutBytes(2, [2], out EntryInfo info);
            table.Remove(2);
            last = info.Version;
        }
        using (PileCache cache = Open())
        {
            cache.GetOrCreateTable<long, byte[]>("t").PutBytes(2, [3], out EntryInfo info);
            Assert.True(info.Version > last);
        }
    }

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    public void A_random_run_with_restarts_agrees_with_a_dictionary(int seed)
    {
        var random = new Random(seed);
        var model = new Dictionary<string, byte[]>();
        for (int life = 0; life < 6; life++)
        {
            using PileCache cache = Open();
            CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
            Assert.Equal(model.Count, table.Count);
            foreach ((string key, byte[] value) in model)
                Assert.Equal(value, table.Get(key));
            Assert.Equal(model.Keys.Order(StringComparer.Ordinal), table.Keys.Order(StringComparer.Ordinal));
            for (int step = 0; step < 5_000; step++)
                Step(random, model, table);
        }
    }

    private static void Step(Random random, Dictionary<string, byte[]> model, CacheTable<string, byte[]> table)
    {
        string key = "key" + random.Next(1_000);
        if (random.Next(3) == 0)
        {
            Assert.Equal(model.Remove(key), table.Remove(key));
            return;
        }
        var value = new byte[random.Next(random.Next(50) == 0 ? 100_000 : 300)];
        random.NextBytes(value);
        table.Put(key, value);
        model[key] = value;
    }

    private PileCache Open() => new(Pile.Open(
        _directory.Path, new PileOptions { SegmentBytes = 4 << 20 }), ownsPile: true) { DefaultTableOptions = TestCache.AllDurable };
}
