using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace BigPile.Caching.Tests.Tables;

/// <summary>Entries as they are stored: walked, copied between caches, put when they are encoded already.</summary>
public sealed class StoredEntryTests : IDisposable
{
    private const int Count = 5_000;

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, byte[]> _table;

    public StoredEntryTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, byte[]>("t");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void A_walk_meets_each_entry_once_and_ends()
    {
        for (int i = 0; i < Count; i++)
            _table.Put($"key {i}", [1]);
        var found = new List<StoredEntry>();
        for (ulong position = 0; position < CacheTable.EndOfWalk;)
        {
            ulong next = _table.Walk(position, found);
            Assert.True(next > position);
            position = next;
        }
        Assert.Equal(Count, found.Count);
        Assert.Equal(Count, found.Select(static entry => Encoding.UTF8.GetString(entry.Key.Span)).Distinct().Count());
        Assert.Throws<ArgumentOutOfRangeException>(() => _table.Walk(CacheTable.EndOfWalk, found));
    }

    [Fact]
    public void An_entry_is_copied_to_another_cache_with_all_its_attributes()
    {
        _table.PutBytes(
            "a", [1, 2], new EntryOptions
            {
                MaxAge = TimeSpan.FromHours(1), Sliding = TimeSpan.FromMinutes(1), Priority = EntryPriority.High, Tags = ["x", "y"],
            },
            out _);
        _table.PutBytes("b", [3], out _);
        using PileCache other = TestCache.Make(_time);
        CacheTable<string, byte[]> copy = other.GetOrCreateTable<string, byte[]>("t");
        foreach (StoredEntry entry in _table.StoredEntries())
        {
            Assert.True(_table.ByUtf8().TryPeek(entry.Key.Span, out StoredEntry peeked, out PileLease? lease));
            using (lease)
                copy.ByUtf8().PutBytes(entry.Key.Span, lease.Span, peeked.Attributes, out _);
        }
        Assert.Equal([1, 2], copy.Get("a"));
        Assert.Equal([3], copy.Get("b"));
        AssertSame("a"u8, copy);
        AssertSame("b"u8, copy);
        copy.RemoveByTag("y");
        Assert.False(copy.ContainsKey("a"));
    }

    [Fact]
    public void Attributes_that_no_entry_can_have_are_refused()
    {
        DateTimeOffset end = _time.GetUtcNow().AddHours(1);
        (string Member, string Limit, EntryAttributes Attributes)[] refused =
        [
            ("TagHashes", "64", new EntryAttributes { TagHashes = new ulong[EntryOptions.MaxTags + 1] }),
            ("Priority", "NeverEvict", new EntryAttributes { Priority = (EntryPriority)4 }),
            ("Sliding", "above zero", new EntryAttributes { ExpiresAt = end, Sliding = TimeSpan.Zero }),
            ("Sliding", "above zero", new EntryAttributes { ExpiresAt = end, Sliding = TimeSpan.MinValue }),
            ("ExpiresAt", "Sliding", new EntryAttributes { Sliding = TimeSpan.FromHours(1) }),
        ];
        foreach ((string member, string limit, EntryAttributes attributes) in refused)
        {
            ArgumentException told = Assert.ThrowsAny<ArgumentException>(() => _table.ByUtf8().PutBytes("c"u8, [], attributes, out _));
            Assert.Equal("attributes", told.ParamName);
            Assert.Contains("EntryAttributes." + member, told.Message, StringComparison.Ordinal);
            Assert.Contains(limit, told.Message, StringComparison.Ordinal);
            Assert.False(_table.ContainsKey("c"));
        }
        foreach (DateTimeOffset instant in new[] { DateTimeOffset.MinValue, DateTimeOffset.MaxValue })
        {
            var extreme = new EntryAttributes { ExpiresAt = instant, Sliding = TimeSpan.MaxValue, EndsAt = instant };
            _table.ByUtf8().PutBytes("c"u8, [], extreme, out _);
            Assert.Equal(instant == DateTimeOffset.MaxValue, _table.ContainsKey("c"));
        }
    }

    [Fact]
    public void What_is_encoded_already_is_put_as_it_is()
    {
        CacheTable<string, object> objects = _cache.GetOrCreateTable<string, object>("objects");
        var buffer = new PileBuffer();
        _cache.Pile.Encoding.Codec.Serialize(new Version(1, 2), buffer);
        objects.ByText().PutEncoded("version", buffer.WrittenSpan, PayloadKind.Object);
        objects.ByText().PutEncoded("text", "häh"u8, PayloadKind.String);
        objects.ByText().PutEncoded("bytes", [7], PayloadKind.Bytes);
        Assert.Equal(new Version(1, 2), objects.Get("version"));
        Assert.Equal("häh", objects.Get("text"));
        Assert.Equal(new byte[] { 7 }, objects.Get("bytes"));
        Assert.Throws<ArgumentException>(() => objects.ByText().PutEncoded("text", [0xFF], PayloadKind.String));
        Assert.Throws<ArgumentOutOfRangeException>(() => objects.ByText().PutEncoded("text", [], PayloadKind.TableEntry));
    }

    [Fact]
    public void A_value_is_read_into_a_writer_unless_it_is_too_long_or_is_to_be_bytes()
    {
        _table.Put("k", new byte[1000]);
        _cache.GetOrCreateTable<string, string>("t").Put("text", "abc");
        var writer = new System.Buffers.ArrayBufferWriter<byte>();
        Assert.Equal(1000, _table.ByUtf8().Read("k"u8, writer, 1000, bytesOnly: true, out EntryInfo info));
        Assert.Equal((1000, 1000), (writer.WrittenCount, info.ValueBytes));
        Assert.Equal(
            AlternateLookup<ReadOnlySpan<byte>, byte[]>.TooLong, _table.ByUtf8().Read("k"u8, writer, 999, bytesOnly: true, out info));
        Assert.Equal(
            AlternateLookup<ReadOnlySpan<byte>, byte[]>.Missing, _table.ByUtf8().Read("none"u8, writer, 999, bytesOnly: true, out _));
        Assert.Equal(1000, writer.WrittenCount);
        Assert.Equal(0, _table.ByUtf8().Read("text"u8, writer, 999, bytesOnly: true, out _));
        Assert.Equal(3, _table.ByUtf8().Read("text"u8, writer, 999, bytesOnly: false, out _));
    }

    [Fact]
    public void An_age_is_told_with_the_time_and_a_lifetime_from_the_put_on()
    {
        _table.PutBytes("k", [1], new EntryOptions { MaxAge = TimeSpan.FromSeconds(10) }, out EntryInfo put);
        _time.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(4, _table.GetAge(put, out DateTimeOffset now).TotalSeconds, 2);
        Assert.Equal(_time.GetUtcNow(), now);
        Assert.Equal(10, put.Lifetime!.Value.TotalSeconds, 2);
        _table.PutBytes("k", [1], out put);
        Assert.Null(put.Lifetime);
    }

    [Fact]
    public void A_table_of_objects_that_is_found_is_known_as_one()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache cache = TestCache.Open(directory.Path))
        {
            cache.GetOrCreateTable<string, Version>("objects").Put("k", new Version(1, 2));
            cache.GetOrCreateTable<string, byte[]>("bytes").Put("k", [1]);
        }
        using (PileCache cache = TestCache.Open(directory.Path))
        {
            Assert.True(cache.GetOrCreateTable<string, byte[]>("objects").HasOpaqueValues);
            Assert.False(cache.GetOrCreateTable<string, byte[]>("bytes").HasOpaqueValues);
        }
    }

    private void AssertSame(ReadOnlySpan<byte> key, CacheTable<string, byte[]> copy)
    {
        Assert.True(_table.ByUtf8().TryPeek(key, out StoredEntry ours));
        Assert.True(copy.ByUtf8().TryPeek(key, out StoredEntry theirs));
        Assert.Equal(ours.Attributes.TagHashes.ToArray(), theirs.Attributes.TagHashes.ToArray());
        Assert.Equal(ours.Attributes with { TagHashes = default }, theirs.Attributes with { TagHashes = default });
        Assert.Equal((PayloadKind.Bytes, ours.Info.ValueBytes), (theirs.Kind, theirs.Info.ValueBytes));
    }
}
