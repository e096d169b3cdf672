using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Tables;

public sealed class CacheTableTests : IDisposable
{
    private readonly PileCache _cache =
        new(new Pile(new PileOptions { SegmentBytes = 16 << 20 }), ownsPile: true) { DefaultTableOptions = TestCache.AllDurable };

    public static TheoryData<string> HardKeys => new(
        "", "a", "key", "schlüssel", "鍵", "🔑", "a/b", "a%2Fb", "\0", "\uD800", "x\uDFFF", new string('k', 255), new string('k', 256),
        new string('k', 257), new string('k', 4096), new string('ü', 2048), new string('鍵', 1365));

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void A_put_value_is_found_and_a_removed_one_is_not()
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>("t");
        Assert.Equal(PutResult.Inserted, table.Put("a", "1"));
        Assert.Equal(PutResult.Replaced, table.Put("a", "2"));
        Assert.Equal("2", table.Get("a"));
        Assert.True(table.ContainsKey("a"));
        Assert.True(table.Remove("a"));
        Assert.False(table.Remove("a"));
        Assert.False(table.TryGet("a", out _));
        Assert.Throws<KeyNotFoundException>(() => table.Get("a"));
        Assert.Equal(0, table.Count);
    }

    [Theory]
    [MemberData(nameof(HardKeys))]
    public void Any_text_is_a_key(string key)
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>("t");
        table.Put(key, "value");
        Assert.Equal("value", table.Get(key));
        Assert.Equal([key], table.Keys);
        Assert.False(table.ContainsKey("x" + key[..Math.Min(1, key.Length)]));
    }

    [Fact]
    public void Lone_surrogates_are_different_keys()
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>("t");
        table.Put("\uD800", "first");
        table.Put("\uD801", "second");
        table.Put("\uFFFD", "third");
        Assert.Equal(["first", "second", "third"], new[] { "\uD800", "\uD801", "\uFFFD" }.Select(table.Get));
    }

    [Fact]
    public void A_key_over_the_limit_is_refused_by_length()
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>("t");
        var error = Assert.Throws<ArgumentException>(() => table.Put(new string('k', 4097), "v"));
        Assert.Contains("4,097", error.Message, StringComparison.Ordinal);
        Assert.Contains("4,096", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => table.Put(null!, "v"));
    }

    [Fact]
    public void Longs_and_guids_are_keys()
    {
        CacheTable<long, byte[]> longs = _cache.GetOrCreateTable<long, byte[]>("longs");
        foreach (long key in new[] { 0, -1, 1, long.MinValue, long.MaxValue })
            longs.Put(key, BitConverter.GetBytes(key));
        Assert.Equal(BitConverter.GetBytes(long.MinValue), longs.Get(long.MinValue));
        Assert.Equal([long.MinValue, -1, 0, 1, long.MaxValue], longs.Keys.Order());

        CacheTable<Guid, string> guids = _cache.GetOrCreateTable<Guid, string>("guids");
        var id = new Guid("00112233-4455-6677-8899-aabbccddeeff");
        guids.Put(id, "x");
        Assert.Equal("x", guids.Get(id));
        Assert.Equal([id], guids.Keys);
    }

    [Fact]
    public void Null_is_a_value_and_not_a_miss()
    {
        CacheTable<long, string?> table = _cache.GetOrCreateTable<long, string?>("t");
        table.Put(1, null);
        Assert.True(table.TryGet(1, out string? value));
        Assert.Null(value);
        Assert.False(table.TryGet(2, out _));
    }

    [Fact]
    public void Each_put_has_a_higher_version()
    {
        CacheTable<string, byte[]> table = _cache.GetOrCreateTable<string, byte[]>("t");
        table.PutBytes("a", [1], out EntryInfo first);
        table.PutBytes("a", [1, 2], out EntryInfo second);
        Assert.True(second.Version > first.Version);
        Assert.True(table.TryGetInfo("a", out EntryInfo found));
        Assert.Equal(new EntryInfo(second.Version, 2), found);
    }

    [Fact]
    public void Versions_of_two_piles_are_not_taken_for_each_other()
    {
        using var other = new PileCache(new Pile(), ownsPile: true) { DefaultTableOptions = TestCache.AllDurable };
        _cache.GetOrCreateTable<long, byte[]>("t").PutBytes(1, [1], out EntryInfo one);
        other.GetOrCreateTable<long, byte[]>("t").PutBytes(1, [1], out EntryInfo two);
        Assert.NotEqual(one.Version, two.Version);
    }

    [Fact]
    public void A_read_into_a_writer_gives_the_stored_bytes_and_nothing_on_a_miss()
    {
        CacheTable<string, byte[]> table = _cache.GetOrCreateTable<string, byte[]>("t");
        byte[] value = [.. Enumerable.Range(0, 100_000).Select(i => (byte)i)];
        table.Put("a", value);
        table.Put("empty", []);
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(table.TryRead("a", writer, out EntryInfo info));
        Assert.Equal(value, writer.WrittenSpan.ToArray());
        Assert.Equal(value.Length, info.ValueBytes);
        writer.Clear();
        Assert.False(table.TryRead("b", writer, out _));
        Assert.True(table.TryRead("empty", writer, out _));
        Assert.Equal(0, writer.WrittenCount);
    }

    [Fact]
    public void Tables_do_not_see_each_others_keys()
    {
        _cache.GetOrCreateTable<string, string>("a").Put("k", "in a");
        _cache.GetOrCreateTable<string, string>("b").Put("k", "in b");
        Assert.Equal("in a", _cache.GetOrCreateTable<string, string>("a").Get("k"));
        Assert.Equal(["a", "b"], _cache.TableNames);
        Assert.False(_cache.TryGetTable<string, string>("c", out _));
        Assert.False(_cache.TryGetTable<long, string>("a", out _));
    }

    [Fact]
    public void A_table_is_refused_with_keys_of_another_type()
    {
        _cache.GetOrCreateTable<string, string>("a");
        var error = Assert.Throws<InvalidOperationException>(() => _cache.GetOrCreateTable<long, string>("a"));
        Assert.Contains("'a'", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => _cache.GetOrCreateTable<string, string>(new string('n', 201)));
        Assert.Throws<ArgumentException>(() => _cache.GetOrCreateTable<string, string>(""));
    }

    [Fact]
    public void Replacing_and_removing_gives_the_memory_back()
    {
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>("t");
        for (int round = 0; round < 20; round++)
        {
            for (long key = 0; key < 2_000; key++)
                table.Put(key, new byte[round * 50]);
        }
        Assert.Equal(2_000, _cache.Pile.Statistics.ObjectCount);
        Assert.Equal(_cache.Pile.Statistics.PayloadBytes, table.Statistics.EntryBytes);
        for (long key = 0; key < 2_000; key++)
            Assert.True(table.Remove(key));
        Assert.Equal(0, _cache.Pile.Statistics.ObjectCount);
        Assert.Equal(0, table.Statistics.EntryBytes);
        Assert.Empty(table.Keys);
    }

    [Fact]
    public void A_full_pile_refuses_a_put_and_leaves_the_table_as_it_was()
    {
        using var cache = new PileCache(new Pile(
            new PileOptions { MaxBytes = 4 << 20, SegmentBytes = 4 << 20 }), ownsPile: true) { DefaultTableOptions = TestCache.AllDurable };
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        long count = 0;
        Assert.Throws<PileFullException>(() =>
        {
            for (; count < long.MaxValue; count++)
                table.Put(count, BitConverter.GetBytes(count));
        });
        Assert.Equal(count, table.Count);
        for (long key = 0; key < count; key++)
            Assert.Equal(key, BitConverter.ToInt64(table.Get(key)));
        Assert.False(table.ContainsKey(count));
    }

    [Fact]
    public void An_entry_can_not_be_changed_behind_its_tables_back()
    {
        _cache.GetOrCreateTable<string, string>("t").Put("a", "1");
        PileEntry entry = Assert.Single(_cache.Pile);
        Assert.Equal(PayloadKind.TableEntry, entry.Kind);
        Assert.Throws<PilePointerException>(() => _cache.Pile.Delete(entry.Pointer));
        Assert.Throws<PilePointerException>(() => _cache.Pile.Replace(entry.Pointer, "2"));
        Assert.Equal("1", _cache.GetOrCreateTable<string, string>("t").Get("a"));
    }

    [Fact]
    public void A_disposed_cache_refuses_calls_and_leaves_a_pile_that_it_does_not_own()
    {
        using var pile = new Pile();
        var cache = new PileCache(pile);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.Put("a", "1");
        cache.Dispose();
        cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => table.TryGet("a", out _));
        Assert.Throws<ObjectDisposedException>(() => table.Put("a", "2"));
        Assert.Throws<ObjectDisposedException>(() => cache.GetOrCreateTable<string, string>("t"));
        Assert.Throws<ObjectDisposedException>(() => cache.GetStatistics("t"));
        Assert.Equal(1, table.Statistics.EntryCount);
        Assert.Single(pile);
        using var again = new PileCache(pile);
        Assert.Equal("1", again.GetOrCreateTable<string, string>("t").Get("a"));
    }

    [Theory]
    [InlineData(StoreKind.Native, 1)]
    [InlineData(StoreKind.Managed, 2)]
    [InlineData(StoreKind.Native, 3)]
    public void A_random_run_agrees_with_a_dictionary(StoreKind store, int seed)
    {
        var random = new Random(seed);
        using var cache = new PileCache(new Pile(
            new PileOptions { Store = store, SegmentBytes = 16 << 20 }), ownsPile: true) { DefaultTableOptions = TestCache.AllDurable };
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        var model = new Dictionary<string, byte[]>();
        for (int step = 0; step < 60_000; step++)
        {
            string key = "key" + random.Next(3_000);
            if (random.Next(10) < 6)
            {
                var value = new byte[random.Next(200)];
                random.NextBytes(value);
                Assert.Equal(model.ContainsKey(key) ? PutResult.Replaced : PutResult.Inserted, table.Put(key, value));
                model[key] = value;
            }
            else if (random.Next(2) == 0)
            {
                Assert.Equal(model.Remove(key), table.Remove(key));
            }
            else
            {
                Assert.Equal(model.TryGetValue(key, out byte[]? expected), table.TryGet(key, out byte[]? actual));
                Assert.Equal(expected, actual);
            }
        }
        Assert.Equal(model.Count, table.Count);
        Assert.Equal(model.Keys.Order(StringComparer.Ordinal), table.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Concurrent_writers_and_readers_see_whole_values_of_their_own_keys()
    {
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>("t");
        const int Keys = 500;
        Task[] tasks = [.. Enumerable.Range(0, 4).Select(worker => SideBySide.Start(() =>
        {
            var random = new Random(worker);
            for (int step = 0; step < 60_000; step++)
            {
                long key = random.Next(Keys);
                if (worker < 2)
                {
                    if (random.Next(8) == 0)
                        table.Remove(key);
                    else
                        table.Put(key, ValueOf(key, random.Next(300)));
                }
                else if (table.TryGet(key, out byte[]? value))
                {
                    Assert.Equal(ValueOf(key, value[8..].Length), value);
                }
            }
        }))];
        await Task.WhenAll(tasks);
        Assert.Equal(table.Count, table.Keys.Count());
        Assert.Equal(table.Count, _cache.Pile.Statistics.ObjectCount);
    }

    private static byte[] ValueOf(long key, int length)
    {
        var value = new byte[8 + length];
        BitConverter.TryWriteBytes(value, key);
        value.AsSpan(8).Fill((byte)(key * 7 + length));
        return value;
    }
}
