using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Contract;

/// <summary>What a hash database promises on any kind of file; each kind's test class is this suite and its name.</summary>
public abstract partial class HashContract(ITestOutputHelper output) : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    protected ITestOutputHelper Output => output;

    protected abstract BlockFileKind Kind { get; }

    protected string FilePath => Path.Combine(_temporary.Path, "database");

    public void Dispose()
    {
        _temporary.Dispose();
        GC.SuppressFinalize(this);
    }

    protected HashDatabase Open(HashDatabaseOptions? options = null) =>
        HashDatabase.Open(FilePath, (options ?? new HashDatabaseOptions { Tuning = Some.FewBuckets }) with { FileKind = Kind });

    [Fact]
    public void A_new_database_is_empty_and_says_what_it_is()
    {
        using HashDatabase database = Open();
        Assert.Equal((0L, Kind, FilePath, false), (database.Count, database.FileKind, database.Path, database.IsReadOnly));
        Assert.Equal((HashEnding.New, 0L), (database.Recovery.Ending, database.Recovery.Records));
        Assert.Equal(HashTuning.MinBuckets, database.Tuning.Buckets);
        Assert.Empty(database);
        Assert.Null(database.Get("a"u8));
        Assert.False(database.Contains("a"u8));
        Assert.False(database.Remove("a"u8));
        Some.AssertSound(database);
    }

    [Fact]
    public void A_record_is_set_read_replaced_and_removed()
    {
        using HashDatabase database = Open();
        Assert.True(database.Set("ada"u8, "one"u8));
        Assert.Equal("one"u8, database.Get("ada"u8)!);
        Assert.True(database.Contains("ada"u8));
        Assert.True(database.Set("ada"u8, "another"u8));
        Assert.Equal("another"u8, database.Get("ada"u8)!);
        Assert.Equal(1, database.Count);
        Assert.True(database.Remove("ada"u8));
        Assert.False(database.Remove("ada"u8));
        Assert.Null(database.Get("ada"u8));
        Assert.False(database.Contains("ada"u8));
        Assert.Equal(0, database.Count);
        Some.AssertSound(database);
    }

    [Fact]
    public void Set_without_overwriting_leaves_what_is_there()
    {
        using HashDatabase database = Open();
        Assert.True(database.Set("a"u8, "first"u8, overwrite: false));
        Assert.False(database.Set("a"u8, "second"u8, overwrite: false));
        Assert.Equal("first"u8, database.Get("a"u8)!);
        database.Remove("a"u8);
        Assert.True(database.Set("a"u8, "third"u8, overwrite: false));
        Assert.Equal("third"u8, database.Get("a"u8)!);
    }

    [Fact]
    public void Keys_and_values_may_be_empty_and_have_any_bytes()
    {
        using HashDatabase database = Open();
        database.Set([], []);
        Assert.Equal([], database.Get([])!);
        Assert.True(database.Contains([]));
        database.Set([], "of nothing"u8);
        database.Set([0], []);
        database.Set([0, 0], [0]);
        Assert.Equal("of nothing"u8, database.Get([])!);
        Assert.Equal([], database.Get([0])!);
        Assert.Equal([0], database.Get([0, 0])!);
        Assert.Null(database.Get([0, 0, 0]));
        Assert.Equal(3, database.Count);
        Assert.True(database.Remove([]));
        Assert.Null(database.Get([]));
        Assert.Equal(2, database.Count());
    }

    /// <summary>Around each power of two, and where a guess of a record's length would end.</summary>
    [Fact]
    public void Values_of_all_lengths_come_back()
    {
        int[] lengths = [.. Enumerable.Range(0, 22).SelectMany(static power => new[] { (1 << power) - 1, 1 << power, (1 << power) + 1 }),
            .. Enumerable.Range(180, 100)];
        using (HashDatabase database = Open())
        {
            foreach (int length in lengths)
            {
                database.Set(Some.Key(length), Some.Bytes(length, length));
                Assert.Equal(Some.Bytes(length, length), database.Get(Some.Key(length)));
            }
            Some.AssertSound(database);
        }
        using HashDatabase again = Open();
        Some.AssertHolds(again, lengths.Distinct().ToDictionary(static length => length, static length => Some.Bytes(length, length)));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(0, 1)]
    [InlineData(100, 1_000)]
    [InlineData(HashDatabaseOptions.LongestKey, 100_000)]
    public void What_is_longer_than_its_limit_is_refused_by_name(int keyLimit, int valueLimit)
    {
        using HashDatabase database = Open(new HashDatabaseOptions
        {
            Tuning = Some.FewBuckets, MaxKeyLength = keyLimit, MaxValueLength = valueLimit,
        });
        byte[] key = Some.Bytes(1, keyLimit), value = Some.Bytes(2, valueLimit);
        byte[] longKey = Some.Bytes(3, keyLimit + 1), longValue = Some.Bytes(4, valueLimit + 1);
        Assert.True(database.Set(key, value));
        Assert.Equal(value, database.Get(key));
        Action[] onKey =
        [
            () => database.Set(longKey, []), () => database.Append(longKey, []), () => database.CompareExchange(longKey, null, []),
            () => database.Process(longKey, static (_, _, _) => RecordChange.Set(Array.Empty<byte>())),
        ];
        Action[] onValue =
        [
            () => database.Set(key, longValue), () => database.Append(key, [1]), () => database.CompareExchange(key, value, longValue),
            () => database.Process(key, (_, _, _) => RecordChange.Set(longValue)),
        ];
        foreach (Action change in onKey)
            Assert.Contains($"{keyLimit:N0}", Assert.Throws<ArgumentException>(change).Message, StringComparison.Ordinal);
        foreach (Action change in onValue)
            Assert.Contains($"{valueLimit:N0}", Assert.Throws<ArgumentException>(change).Message, StringComparison.Ordinal);
        Assert.Null(database.Get(longKey));
        Assert.False(database.Contains(longKey));
        Assert.False(database.Remove(longKey));
        Assert.Equal(value, database.Get(key));
        Assert.Equal(1, database.Count);
        Some.AssertSound(database);
    }

    [Fact]
    public void A_value_is_read_into_a_span_that_has_room()
    {
        using HashDatabase database = Open();
        var buffer = new byte[10];
        Assert.False(database.TryGet("a"u8, buffer, out int length));
        Assert.Equal(0, length);
        database.Set("a"u8, "12345"u8);
        Assert.True(database.TryGet("a"u8, buffer, out length));
        Assert.Equal((5, true), (length, buffer.AsSpan(0, 5).SequenceEqual("12345"u8)));
        Assert.Equal([0, 0, 0, 0, 0], buffer[5..]);
        Assert.True(database.TryGet("a"u8, buffer.AsSpan(0, 5), out length));
        var error = Assert.Throws<ArgumentException>(() => database.TryGet("a"u8, buffer.AsSpan(0, 4), out _));
        Assert.Contains("5", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => database.TryGet("a"u8, [], out _));
        database.Set("empty"u8, []);
        Assert.True(database.TryGet("empty"u8, [], out length));
        Assert.Equal(0, length);
    }

    [Fact]
    public void A_value_is_written_to_a_buffer()
    {
        using HashDatabase database = Open();
        var writer = new ArrayBufferWriter<byte>();
        Assert.False(database.TryGet("a"u8, writer));
        Assert.Equal(0, writer.WrittenCount);
        foreach (int length in (int[])[0, 1, 100, 255, 256, 257, 5_000, 300_000])
        {
            byte[] value = Some.Bytes(length, length);
            database.Set("a"u8, value);
            writer.ResetWrittenCount();
            writer.Write("before"u8);
            Assert.True(database.TryGet("a"u8, writer));
            Assert.Equal([.. "before"u8, .. value], writer.WrittenSpan.ToArray());
        }
    }

    [Fact]
    public void A_writer_that_throws_breaks_nothing()
    {
        using HashDatabase database = Open();
        database.Set("a"u8, Some.Bytes(1, 3_000));
        Assert.Throws<InvalidTimeZoneException>(() => database.TryGet("a"u8, new ThrowingWriter()));
        Assert.Equal(Some.Bytes(1, 3_000), database.Get("a"u8));
        database.Set("a"u8, "b"u8);
        database.Close();
    }

    /// <summary>All in few chains: with removals from their beginnings, middles and ends.</summary>
    [Fact]
    public void Long_chains_are_walked_changed_and_kept()
    {
        const int Count = 6_000;
        var expected = new Dictionary<int, byte[]>();
        using (HashDatabase database = Open())
        {
            for (int i = 0; i < Count; i++)
                Put(database, expected, i, Some.Bytes(i, i % 50));
            for (int i = 0; i < Count; i += 3)
                Put(database, expected, i, Some.Bytes(-i, i % 200));
            for (int i = 0; i < Count; i += 7)
                Assert.Equal(expected.Remove(i), database.Remove(Some.Key(i)));
            Some.AssertHolds(database, expected);
            Some.AssertSound(database);
        }
        Assert.True(HashDatabase.Verify(FilePath).IsSound);
        using HashDatabase again = Open();
        Assert.Equal((HashEnding.Closed, expected.Count), (again.Recovery.Ending, again.Recovery.Records));
        Some.AssertHolds(again, expected);
        Some.AssertSound(again);
    }

    private static void Put(HashDatabase database, Dictionary<int, byte[]> expected, int number, byte[] value)
    {
        Assert.True(database.Set(Some.Key(number), value));
        expected[number] = value;
    }

    private sealed class ThrowingWriter : IBufferWriter<byte>
    {
        public void Advance(int count) => throw new InvalidTimeZoneException();

        public Memory<byte> GetMemory(int sizeHint = 0) => throw new InvalidTimeZoneException();

        public Span<byte> GetSpan(int sizeHint = 0) => throw new InvalidTimeZoneException();
    }
}
