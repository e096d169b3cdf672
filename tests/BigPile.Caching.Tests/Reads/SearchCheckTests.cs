using System;
using System.Collections.Generic;
using BigPile.Access;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Checking;

namespace BigPile.Caching.Tests.Reads;

/// <summary>Leaves out one check of a read at a time, at the instant that the check is for: each time a wrong answer must come.</summary>
public sealed class SearchCheckTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    [CrashPointFact]
    public void A_block_that_is_used_anew_during_the_copy_is_noticed()
    {
        Assert.Equal(new string('n', 64), ReadWhileReplaced("right"));
        using var planted = new MutationScope("header-not-loaded-again", "index-slot-not-loaded-again");
        Assert.NotEqual(new string('n', 64), ReadWhileReplaced("wrong"));
    }

    [CrashPointFact]
    public void A_key_with_the_tag_of_another_is_told_apart()
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>(TestCache.Durable("same"), new SameHash());
        table.Put("a", "value of a");
        table.Put("b", "value of b");
        Assert.Equal("value of b", Read(table, "b"));
        using var planted = new MutationScope("key-not-compared");
        Assert.Equal("value of a", Read(table, "b"));
    }

    [CrashPointFact]
    public void Numbers_with_one_tag_are_told_apart()
    {
        CacheTable<long, string> table = _cache.GetOrCreateTable<long, string>(TestCache.Durable("numbers"));
        (long first, long second) = FindSameTag(table);
        table.Put(first, "first");
        table.Put(second, "second");
        Assert.Equal(("first", "second"), (table.Get(first), table.Get(second)));
        Assert.Equal("first", Read(table, first));
        Assert.Equal("second", Read(table, second));
        using var planted = new MutationScope("key-not-compared");
        Assert.Equal(Read(table, first), Read(table, second));
    }

    [CrashPointFact]
    public void An_entry_that_moves_to_another_bucket_during_the_search_is_not_missed()
    {
        Assert.Equal("value", ReadWhileSplit("right"));
        using var planted = new MutationScope("index-slot-not-loaded-again", "bucket-state-not-loaded-again");
        Assert.Null(ReadWhileSplit("wrong"));
    }

    [CrashPointFact]
    public void An_entry_that_moves_to_an_earlier_line_during_the_search_is_not_missed()
    {
        Assert.Equal("value", ReadWhileShortened("right"));
        using var planted = new MutationScope("move-not-counted");
        Assert.Null(ReadWhileShortened("wrong"));
    }

    [CrashPointTheory]
    [InlineData("none")]
    [InlineData("another")]
    public void An_entry_that_comes_back_to_the_block_it_left_is_not_missed(string meanwhile)
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>(TestCache.Durable("back"), new SameHash());
        table.Put("key", "before");
        var meanwhileAt = new Dictionary<CrashPoint, Action>();
        meanwhileAt.Add(CrashPoint.SearchBeforeBlock, () =>
        {
            table.Put("key", new string('e', 500)); // elsewhere: its block is free
            if (meanwhile == "another")
                table.Put("yek", "before"); // in its block
        });
        meanwhileAt.Add(meanwhile == "none" ? CrashPoint.SearchAfterBlock : CrashPoint.SearchBetweenRechecks, () =>
        {
            table.Remove("yek");
            table.Put("key", "behind");
        });
        using var hook = new CrashPointScope<CrashPoint>(point =>
        {
            if (meanwhileAt.Remove(point, out Action? action))
                action();
        });
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        KeyProbe key = table.KeyCodec.Probe("key", stack);
        Assert.Equal("behind", Read(table.Core, new KeyProbe(key.Bytes, key.Hash, new BytesMatcher(key.Bytes.ToArray()))));
    }

    // All keys have one bucket. The search is in the middle of its first line when what lies behind it moves to the line's first slots.
    private string? ReadWhileShortened(string name)
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>(TestCache.Durable(name), new SameHash());
        for (int i = 0; i <= Bucket.SlotCount; i++)
            table.Put(i == Bucket.SlotCount ? "key" : $"{i}", "value");
        int blocks = 0;
        using var hook = new CrashPointScope<CrashPoint>(point =>
        {
            if (point == CrashPoint.SearchBeforeBlock && ++blocks == 3)
                table.Remove("0");
        });
        return Read(table, "key");
    }

    // Of two million numbers, some thirty pairs agree in the 36 bits of the hash that the index knows.
    private static (long First, long Second) FindSameTag(CacheTable<long, string> table)
    {
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        var seen = new Dictionary<ulong, long>();
        for (long key = 0; ; key++)
        {
            ulong known = table.KeyCodec.HashOf(key, stack) & ((1UL << IndexSlot.KnownHashBits) - 1);
            if (!seen.TryAdd(known, key))
                return (seen[known], key);
        }
    }

    private static string? Read(CacheTable<string, string> table, string key)
    {
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        return Read(table.Core, table.KeyCodec.Probe(key, stack));
    }

    private static string? Read(CacheTable<long, string> table, long key)
    {
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        return Read(table.Core, table.KeyCodec.Probe(key, stack));
    }

    private static string? Read(TableEngine core, in KeyProbe key)
    {
        var reader = default(BytesReader);
        return core.Lookup.TryRead(key, ref reader, 0, out _)
            ? System.Text.Encoding.UTF8.GetString(reader.Result)
            : null;
    }

    private string ReadWhileReplaced(string name)
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>(TestCache.Durable(name));
        table.Put("key", new string('o', 64));
        int next = 0;
        var reader = new InterruptedReader(() =>
        {
            table.Put("key", new string('n', 64));
            for (int i = 0; i < 5000; i++)
                table.Put($"other{next++:D5}", new string('x', 58)); // blocks of the same size
        });
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        Assert.True(table.Core.Lookup.TryRead(table.KeyCodec.Probe("key", stack), ref reader, 0, out _));
        return System.Text.Encoding.UTF8.GetString(reader.Result);
    }

    private string? ReadWhileSplit(string name)
    {
        CacheTable<string, string> table = _cache.GetOrCreateTable<string, string>(TestCache.Durable(name), new SameHash());
        table.Put("first", "other");
        table.Put("key", "value");
        bool isArmed = true;
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        KeyProbe key = table.KeyCodec.Probe("key", stack);
        var matcher = new InterruptedMatcher(key.Matcher!, () =>
        {
            for (int i = 0; isArmed && i < 4000; i++)
                table.Core.Index.GrowFor(1L << 40); // every bucket is split several times
            isArmed = false;
        });
        return Read(table.Core, new KeyProbe(key.Bytes, key.Hash, matcher));
    }

    private sealed class BytesMatcher(byte[] key) : KeyMatcher
    {
        internal override bool Matches(ReadOnlySpan<byte> stored) => stored.SequenceEqual(key);
    }

    private sealed class InterruptedMatcher(KeyMatcher matcher, Action interrupt) : KeyMatcher
    {
        internal override bool Matches(ReadOnlySpan<byte> stored)
        {
            interrupt();
            return matcher.Matches(stored);
        }

        internal override void Learn() => matcher.Learn();
    }

    /// <summary>Gives all keys one hash.</summary>
    private sealed class SameHash : IEqualityComparer<string>
    {
        public bool Equals(string? x, string? y) => x == y;

        public int GetHashCode(string key) => 12_345;
    }
}
