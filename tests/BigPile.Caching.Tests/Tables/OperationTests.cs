using System;
using System.Buffers;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Tables;

public sealed class OperationTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string?> _table;

    public OperationTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string?>("t");
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void Update_wants_the_version_that_is_there()
    {
        Assert.True(_table.Update("a", "1", 0, out EntryInfo first));
        Assert.False(_table.Update("a", "2", 0, out _));
        Assert.False(_table.Update("a", "2", first.Version + 1, out _));
        Assert.True(_table.Update("a", "2", first.Version, out EntryInfo second));
        Assert.False(_table.Update("a", "3", first.Version, out _));
        Assert.False(_table.Update("b", "3", first.Version, out _));
        Assert.Equal("2", _table.Get("a"));
        Assert.False(_table.Remove("a", first.Version));
        Assert.True(_table.Remove("a", second.Version));
        Assert.Equal((0, 0), (_table.Count, _cache.Pile.Statistics.ObjectCount));
        Assert.Throws<ArgumentOutOfRangeException>(() => _table.Remove("a", 0));
    }

    [Fact]
    public async Task Of_many_updates_of_one_version_one_succeeds()
    {
        CacheTable<long, long> counters = _cache.GetOrCreateTable<long, long>("counters");
        counters.Put(1, 0);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => SideBySide.Start(() =>
        {
            for (int i = 0; i < 2000;)
            {
                Assert.True(counters.TryGet(1, out long value, out EntryInfo info));
                if (counters.Update(1, value + 1, info.Version, out EntryInfo _))
                    i++;
            }
        })));
        Assert.Equal(8000, counters.Get(1));
    }

    [Fact]
    public void A_pointer_that_was_put_belongs_to_the_table()
    {
        PilePointer pointer = _cache.Pile.Put("value");
        Assert.Equal(PutResult.Inserted, _table.PutPointer("a", pointer));
        Assert.Equal("value", _table.Get("a"));
        Assert.Equal(pointer, _table.GetPointer("a"));
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal(5, entry.Info.ValueBytes);
        Assert.Equal(2, _cache.Pile.Statistics.ObjectCount);
        _table.Put("a", "other");
        Assert.False(_cache.Pile.Contains(pointer));
        Assert.Equal(1, _cache.Pile.Statistics.ObjectCount);
        Assert.Throws<PilePointerException>(() => _table.PutPointer("b", pointer));
    }

    [Fact]
    public void A_value_is_moved_out_for_the_pointer_to_it()
    {
        _table.Put("a", "value", new EntryOptions { MaxAge = TimeSpan.FromSeconds(10), Tags = ["tag"], Priority = EntryPriority.High });
        PilePointer pointer = _table.GetPointer("a");
        Assert.Equal("value", _cache.Pile.Get<string>(pointer));
        Assert.Equal(pointer, _table.GetPointer("a"));
        Assert.Equal("value", _table.Get("a"));
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal((EntryPriority.High, _time.GetUtcNow().AddSeconds(10)), (entry.Priority, entry.ExpiresAt));
        _table.RemoveByTag("tag");
        Assert.False(_table.TryGetPointer("a", out _));
        _table.Sweep();
        _table.Sweep();
        Assert.Equal(0, _cache.Pile.Statistics.ObjectCount);
        _table.Put("none", null);
        Assert.False(_table.GetPointer("none").IsValid);
    }

    [Fact]
    public void An_object_that_somebody_deleted_is_a_miss()
    {
        PilePointer pointer = _cache.Pile.Put("value");
        _table.PutPointer("a", pointer);
        _cache.Pile.Delete(pointer);
        Assert.False(_table.TryGet("a", out _));
        Assert.True(_table.Remove("a"));
    }

    [Fact]
    public void A_lease_keeps_its_bytes_whatever_becomes_of_the_entry()
    {
        CacheTable<string, byte[]> bytes = _cache.GetOrCreateTable<string, byte[]>("bytes");
        bytes.Put("a", [1, 2, 3]);
        Assert.True(bytes.TryLease("a", out PileLease? lease, out EntryInfo info));
        bytes.Put("a", [4, 5, 6]);
        bytes.Put("b", [7, 8, 9]);
        bytes.Remove("a");
        Assert.Equal([1, 2, 3], lease.Span.ToArray());
        Assert.Equal((3, PayloadKind.Bytes), (info.ValueBytes, lease.Kind));
        lease.Dispose();
        Assert.Equal(1, _cache.Pile.Statistics.ObjectCount);
        Assert.False(bytes.TryLease("a", out lease, out _));
    }

    [Fact]
    public void Bytes_are_put_from_several_pieces_and_read_into_a_writer_or_a_span()
    {
        CacheTable<string, byte[]> bytes = _cache.GetOrCreateTable<string, byte[]>("bytes");
        var first = new Chunk([1, 2], null);
        var last = new Chunk([3, 4, 5], first);
        bytes.PutBytes("a", new ReadOnlySequence<byte>(first, 1, last, 2), null, out EntryInfo info);
        Assert.Equal([2, 3, 4], bytes.Get("a"));
        Assert.Equal(3, info.ValueBytes);
        bytes.PutBytes("empty", ReadOnlySequence<byte>.Empty, null, out _);
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(bytes.TryGet("empty", writer));
        Assert.True(bytes.TryGet("a", writer));
        Assert.False(bytes.TryGet("b", writer));
        Assert.Equal([2, 3, 4], writer.WrittenSpan.ToArray());
        var buffer = new byte[3];
        Assert.True(bytes.TryRead("a", buffer, out info));
        Assert.Equal([2, 3, 4], buffer);
        Assert.True(bytes.TryRead("a", buffer.AsSpan(0, 2), out info));
        Assert.Equal(3, info.ValueBytes);
    }

    [Fact]
    public void Entries_are_described()
    {
        _table.Put("a", "12345", new EntryOptions { Priority = EntryPriority.NeverEvict });
        _time.Advance(TimeSpan.FromMinutes(1));
        TableEntry<string> entry = Assert.Single(_table.Entries);
        Assert.Equal(("a", EntryPriority.NeverEvict, TimeSpan.FromMinutes(1)), (entry.Key, entry.Priority, entry.Age));
        Assert.Equal((null, null, 5), (entry.ExpiresAt, entry.Sliding, entry.Info.ValueBytes));
        Assert.Equal(_time.GetUtcNow() - TimeSpan.FromMinutes(1), entry.Info.PutAt);
    }

    [Fact]
    public void Keys_of_any_type_go_through_the_codec()
    {
        CacheTable<int, string> ints = _cache.GetOrCreateTable<int, string>("ints");
        ints.Put(-5, "x");
        Assert.Equal(("x", -5), (ints.Get(-5), Assert.Single(ints.Keys)));
        CacheTable<OrderKey, string> orders = _cache.GetOrCreateTable<OrderKey, string>("orders");
        orders.Put(new OrderKey("north", 7), "seven");
        orders.Put(new OrderKey("north", 8), "eight");
        Assert.Equal("seven", orders.Get(new OrderKey("north", 7)));
        Assert.False(orders.ContainsKey(new OrderKey("south", 7)));
        Assert.Equal([7, 8], orders.Keys.Select(key => key.Number).Order());
        Assert.Throws<InvalidOperationException>(() => _cache.GetOrCreateTable<(int, int), string>("orders"));
    }

    [Fact]
    public void A_comparer_decides_which_keys_are_the_same()
    {
        CacheTable<string, string> table =
            _cache.GetOrCreateTable<string, string>(TestCache.Durable("names"), StringComparer.OrdinalIgnoreCase);
        Assert.Equal(PutResult.Inserted, table.Put("Ada", "1"));
        Assert.Equal(PutResult.Replaced, table.Put("ADA", "2"));
        Assert.Equal("2", table.Get("ada"));
        Assert.Equal("2", table.ByText().TryGet("aDA", out string? value) ? value : null);
        Assert.True(table.ByUtf8().TryGetInfo("aDa"u8, out _));
        Assert.Equal(1, table.GetOrAdd("ada", _ => "3").Length);
        for (int i = 0; i < 5000; i++)
            table.Put($"Name{i}", $"{i}");
        Assert.All(Enumerable.Range(0, 5000), i => Assert.Equal($"{i}", table.Get($"NAME{i}")));
        Assert.True(table.Remove("aDA"));
        Assert.Throws<InvalidOperationException>(
            () => _cache.GetOrCreateTable<string, string>(TestCache.Durable("names"), StringComparer.Ordinal));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(1000)]
    public void Many_keys_at_once_are_as_each_alone(int count)
    {
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>("longs");
        long[] keys = [.. Enumerable.Range(0, count).Select(i => (long)i * 7)];
        byte[][] values = [.. keys.Select(key => new byte[key % 100 + 1])];
        var results = new PutResult[count];
        table.PutMany(keys, values, results);
        Assert.All(results, result => Assert.Equal(PutResult.Inserted, result));
        long[] asked = [.. keys.Select((key, i) => i % 3 == 0 ? key + 1 : key)];
        var found = new bool[count];
        var got = new byte[]?[count];
        int expected = asked.Count(table.ContainsKey);
        Assert.Equal(expected, table.GetMany(asked, got, found));
        Assert.Equal(asked.Select(key => key % 7 == 0), found);
        Assert.Equal(asked.Select(key => key % 7 == 0 ? key % 100 + 1 : -1), got.Select(value => value?.Length ?? -1L));
        var writer = new ArrayBufferWriter<byte>();
        var lengths = new int[count];
        Assert.Equal(expected, table.ReadMany(asked, writer, lengths));
        Assert.Equal(got.Select(value => value?.Length ?? -1), lengths);
        Assert.Equal(lengths.Where(length => length > 0).Sum(), writer.WrittenCount);
        Assert.Equal(expected, table.RemoveMany(asked));
        Assert.Equal(count - expected, table.Count);
        Assert.Throws<ArgumentException>("found", () => table.GetMany(new long[2], new byte[]?[2], new bool[1]));
    }

    [Fact]
    public void Hits_and_misses_are_counted_unless_that_is_off()
    {
        _table.Put("a", "1");
        _table.TryGet("a", out _);
        _table.GetMany(["a", "b"], new string?[2], new bool[2]);
        Assert.Equal((2, 1), (_table.Statistics.Hits, _table.Statistics.Misses));
        _table.Configure(TestCache.Durable() with { Statistics = false });
        _table.TryGet("a", out _);
        Assert.Equal((2, 1), (_table.Statistics.Hits, _table.Statistics.Misses));
    }

    [Fact]
    public void Options_out_of_range_are_refused_by_name()
    {
        foreach ((TableOptions options, string part) in new[]
        {
            (new TableOptions("x") { MaxEntries = 0 }, "MaxEntries of the table 'x' is 0; it must be at least 1"),
            (new TableOptions("x") { MaxBytes = 1 }, "MaxBytes"),
            (new TableOptions("x") { InitialEntries = -1 }, "InitialEntries"),
            (new TableOptions("x") { DefaultMaxAge = TimeSpan.Zero }, "DefaultMaxAge"),
            (new TableOptions("x") { DefaultSliding = TimeSpan.Zero }, "DefaultSliding"),
            (new TableOptions("x") { FixedIndex = true, CollisionMode = CollisionMode.Durable }, "FixedIndex"),
            (new TableOptions("*"), "'*'"),
        })
        {
            Assert.Contains(part, Assert.Throws<ArgumentException>(
                () => _cache.GetOrCreateTable<string, string>(options)).Message, StringComparison.Ordinal);
        }
        Assert.Throws<ArgumentException>(() => _cache.DefaultTableOptions = new TableOptions("x"));
        Assert.Throws<ArgumentException>(() => _table.Configure(new TableOptions("other")));
        Assert.Throws<ArgumentException>(() => _table.Configure(new TableOptions("t") { FixedIndex = true }));
    }

    [Fact]
    public void The_options_of_all_tables_hold_for_those_without_their_own()
    {
        _cache.DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable, MaxEntries = 10 };
        CacheTable<long, string> table = _cache.GetOrCreateTable<long, string>("new");
        Assert.Equal((10L, CollisionMode.Durable, "new"), (table.Options.MaxEntries, table.Options.CollisionMode, table.Options.Name));
        Assert.Null(_table.Options.MaxEntries);
    }

    public sealed record OrderKey(string Region, int Number);

    private sealed class Chunk : ReadOnlySequenceSegment<byte>
    {
        internal Chunk(byte[] bytes, Chunk? before)
        {
            Memory = bytes;
            if (before == null)
                return;
            before.Next = this;
            RunningIndex = before.RunningIndex + before.Memory.Length;
        }
    }
}
