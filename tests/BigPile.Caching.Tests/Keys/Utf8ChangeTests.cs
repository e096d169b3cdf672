using System;
using System.Buffers;
using System.Linq;
using System.Text;

namespace BigPile.Caching.Tests.Keys;

public sealed class Utf8ChangeTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, byte[]> _table;

    public Utf8ChangeTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, byte[]>("t");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void A_put_happens_only_on_the_version_that_the_caller_knows()
    {
        Assert.True(_table.ByUtf8().TryPutBytes("k"u8, [1], 0, null, out PutResult result, out EntryInfo first));
        Assert.Equal(PutResult.Inserted, result);
        Assert.False(_table.ByUtf8().TryPutBytes("k"u8, [2], 0, null, out _, out _));
        Assert.False(_table.ByUtf8().TryPutBytes("k"u8, [2], first.Version + 1, null, out _, out _));
        Assert.Equal([1], _table.Get("k"));
        Assert.True(_table.ByUtf8().TryPutBytes("k"u8, [3], first.Version, null, out result, out EntryInfo second));
        Assert.Equal(PutResult.Replaced, result);
        Assert.True(second.Version > first.Version);
        Assert.False(_table.ByUtf8().TryPutBytes("none"u8, [3], first.Version, null, out _, out _));
        Assert.Throws<ArgumentException>(() => _table.ByUtf8().TryPutBytes([0xC3], [1], 0, null, out _, out _));
    }

    [Fact]
    public void A_removal_happens_only_on_the_version_that_the_caller_knows()
    {
        _table.ByUtf8().PutBytes("k"u8, [1], out EntryInfo info);
        Assert.False(_table.ByUtf8().Remove("k"u8, info.Version + 1));
        Assert.True(_table.ByUtf8().Remove("k"u8, info.Version));
        Assert.False(_table.ByUtf8().Remove("k"u8, info.Version));
        Assert.Throws<ArgumentOutOfRangeException>(() => _table.ByUtf8().Remove("k"u8, 0));
    }

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    public void A_lifetime_begins_anew_and_value_priority_and_tags_stay(StoreKind store)
    {
        using PileCache cache = TestCache.Make(_time, store);
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        table.PutBytes("k", [1, 2], new EntryOptions { MaxAge = TimeSpan.FromSeconds(10), Priority = EntryPriority.High, Tags = ["a"] },
            out EntryInfo put);
        _time.Advance(TimeSpan.FromSeconds(6));
        Assert.True(table.ByUtf8().TryTouch("k"u8, 0, new EntryOptions(), out PutResult result, out EntryInfo renewed));
        Assert.Equal(PutResult.Replaced, result);
        Assert.True(renewed.Version > put.Version);
        Assert.Equal(_time.GetUtcNow().AddSeconds(10), renewed.ExpiresAt);
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.True(table.TryGetEntry("k", out TableEntry<string> entry));
        Assert.Equal(EntryPriority.High, entry.Priority);
        Assert.Equal([1, 2], table.Get("k"));
        table.RemoveByTag("a");
        Assert.False(table.ContainsKey("k"));
        Assert.False(table.ByUtf8().TryTouch("k"u8, 0, new EntryOptions(), out _, out _));
    }

    [Fact]
    public void A_sliding_entry_keeps_its_sliding_time_and_gets_its_end_anew()
    {
        _table.PutBytes("k", [1], new EntryOptions { MaxAge = TimeSpan.FromSeconds(30), Sliding = TimeSpan.FromSeconds(10) }, out _);
        _time.Advance(TimeSpan.FromSeconds(8));
        Assert.True(_table.ByUtf8().TryTouch("k"u8, 0, new EntryOptions(), out _, out _));
        for (int i = 0; i < 3; i++)
        {
            _time.Advance(TimeSpan.FromSeconds(9));
            Assert.True(_table.ByUtf8().Touch("k"u8));
        }
        _time.Advance(TimeSpan.FromSeconds(3)); // 30 s after it was renewed
        Assert.False(_table.ByUtf8().Touch("k"u8));
    }

    [Fact]
    public void A_lifetime_can_be_set_and_taken_away()
    {
        _table.PutBytes("k", [1], new EntryOptions { MaxAge = TimeSpan.FromSeconds(10) }, out EntryInfo put);
        Assert.False(_table.ByUtf8().TryTouch("k"u8, put.Version + 1, null, out _, out _));
        Assert.True(_table.ByUtf8().TryTouch("k"u8, put.Version, null, out _, out EntryInfo info));
        Assert.Null(info.ExpiresAt);
        _time.Advance(TimeSpan.FromDays(1000));
        Assert.True(_table.ContainsKey("k"));
        var lifetime = new EntryOptions { MaxAge = TimeSpan.FromSeconds(5), Sliding = TimeSpan.FromSeconds(2) };
        Assert.True(_table.ByUtf8().TryTouch("k"u8, 0, lifetime, out _, out info));
        Assert.Equal(_time.GetUtcNow().AddSeconds(2), info.ExpiresAt);
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.False(_table.ContainsKey("k"));
    }

    [Fact]
    public void Many_keys_give_what_they_give_one_by_one()
    {
        int seed = TestLeg.Seed(41);
        Console.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int i = 0; i < 200; i += 2)
        {
            var value = new byte[random.Next(0, 300)];
            random.NextBytes(value);
            _table.PutBytes($"key/{i}", value, out _);
        }
        string[] names = [.. Enumerable.Range(0, 100).Select(_ => $"key/{random.Next(200)}")];
        var keys = new ArrayBufferWriter<byte>();
        var ends = new int[names.Length];
        for (int i = 0; i < names.Length; i++)
        {
            keys.Write(Encoding.UTF8.GetBytes(names[i]));
            ends[i] = keys.WrittenCount;
        }
        var destination = new ArrayBufferWriter<byte>();
        var lengths = new int[names.Length];
        var infos = new EntryInfo[names.Length];
        long copied = _table.ByUtf8().ReadMany(keys.WrittenSpan, ends, destination, long.MaxValue, lengths, infos);
        Assert.Equal(destination.WrittenCount, copied);
        int at = 0;
        for (int i = 0; i < names.Length; i++)
        {
            bool isThere = _table.TryGet(names[i], out byte[]? value, out EntryInfo info);
            Assert.Equal(isThere ? value!.Length : AlternateLookup<ReadOnlySpan<byte>, byte[]>.Missing, lengths[i]);
            if (!isThere)
                continue;
            Assert.Equal(info, infos[i]);
            Assert.Equal(value, destination.WrittenSpan.Slice(at, lengths[i]).ToArray());
            at += lengths[i];
        }
        Assert.Throws<ArgumentException>(() => _table.ByUtf8().ReadMany("k"u8, [1], destination, 1, [], []));
    }

    [Fact]
    public void A_value_beyond_the_limit_is_left_out_and_said_to_be()
    {
        _table.PutBytes("a", new byte[10], out _);
        _table.PutBytes("b", new byte[11], out _);
        var destination = new ArrayBufferWriter<byte>();
        var lengths = new int[4];
        var infos = new EntryInfo[4];
        Assert.Equal(20, _table.ByUtf8().ReadMany("abac"u8, [1, 2, 3, 4], destination, 20, lengths, infos));
        Assert.Equal(
            [10, AlternateLookup<ReadOnlySpan<byte>, byte[]>.TooLong, 10, AlternateLookup<ReadOnlySpan<byte>, byte[]>.Missing], lengths);
        Assert.Equal(11, infos[1].ValueBytes);
        Assert.Equal(20, destination.WrittenCount);
    }
}
