using System;
using System.Buffers.Binary;
using System.Linq;
using System.Text;
using BigPile.Hash.Format;

namespace BigPile.Hash.Tests;

/// <summary>Keys, values and databases to try.</summary>
internal static class Some
{
    /// <summary>Few buckets, so that chains are long.</summary>
    internal static HashTuning FewBuckets { get; } = new() { Buckets = 1 };

    /// <summary>A key of a number; keys of different numbers are different, and of many lengths.</summary>
    internal static byte[] Key(int number)
    {
        int length = (number & 15) switch { 0 => 4, 1 => 5, 2 => 7, 3 => 8, 4 => 300, 5 => 33, 6 => 64, _ => 12 };
        var key = new byte[length];
        key.AsSpan().Fill((byte)'k');
        BinaryPrimitives.WriteInt32LittleEndian(key, number);
        return key;
    }

    /// <summary>The number of a key.</summary>
    internal static int NumberOf(ReadOnlySpan<byte> key)
    {
        int number = BinaryPrimitives.ReadInt32LittleEndian(key);
        Assert.True(key.SequenceEqual(Key(number)), $"{Convert.ToHexString(key)} is no key that was set.");
        return number;
    }

    /// <summary>Has the first place of a file where a key is have another key, whose record would be in the same chain.</summary>
    internal static void ChangeWithinItsBucket(byte[] file, byte[] key)
    {
        FileLayout layout = FileLayout.Read(file, "", file.Length);
        Span<byte> changed = file.AsSpan(file.AsSpan().IndexOf(key), key.Length);
        do
            BinaryPrimitives.WriteInt32LittleEndian(changed, BinaryPrimitives.ReadInt32LittleEndian(changed) + 1_000);
        while (layout.BucketOf(KeyHash.Of(changed, layout.Seed)) != layout.BucketOf(KeyHash.Of(key, layout.Seed)));
    }

    /// <summary>Has one bit of it wrong, so that the record would be in another chain: a few bits leave it in its own.</summary>
    internal static void FlipBeyondItsBucket(byte[] file, byte[] key)
    {
        FileLayout layout = FileLayout.Read(file, "", file.Length);
        Span<byte> changed = file.AsSpan(file.AsSpan().IndexOf(key), key.Length);
        for (int bit = 0; ; bit++)
        {
            changed[2] ^= (byte)(1 << bit);
            if (layout.BucketOf(KeyHash.Of(changed, layout.Seed)) != layout.BucketOf(KeyHash.Of(key, layout.Seed)))
                return;
            changed[2] ^= (byte)(1 << bit);
        }
    }

    /// <summary>Bytes that follow from a seed.</summary>
    internal static byte[] Bytes(int seed, int length)
    {
        var bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    /// <summary>A length as values have them: most are short, few reach 20 KB.</summary>
    internal static int Length(Random random) => random.Next(100) switch
    {
        < 10 => 0,
        < 60 => random.Next(40),
        < 90 => random.Next(700),
        < 99 => random.Next(5_000),
        _ => random.Next(20_000),
    };

    /// <summary>Compares a database with what it is to hold, in every way there is.</summary>
    internal static void AssertHolds(HashDatabase database, System.Collections.Generic.IReadOnlyDictionary<int, byte[]> expected)
    {
        Assert.Equal(expected.Count, database.Count);
        foreach ((int number, byte[] value) in expected)
            Assert.True(value.AsSpan().SequenceEqual(database.Get(Key(number))), $"key {number} has another value");
        var seen = database.ToDictionary(static record => NumberOf(record.Key.Span), static record => record.Value);
        Assert.Equal(expected.Count, seen.Count);
        foreach ((int number, ReadOnlyMemory<byte> value) in seen)
            Assert.True(value.Span.SequenceEqual(expected[number]), $"the walk gives key {number} another value");
    }

    /// <summary>Has a database check itself, and its numbers.</summary>
    internal static HashStatistics AssertSound(HashDatabase database)
    {
        HashVerification verification = database.Verify();
        Assert.True(verification.IsSound, string.Join(Environment.NewLine, verification.Problems));
        HashStatistics statistics = database.GetStatistics();
        Assert.Equal(database.Count, statistics.Records);
        Assert.Equal(database.Count, verification.Records);
        AssertAddsUp(statistics);
        return statistics;
    }

    internal static void AssertAddsUp(HashStatistics statistics)
    {
        Assert.Equal(
            statistics.FileBytes, statistics.IndexBytes + statistics.LiveBytes + statistics.FreeBytes + statistics.WaitingBytes);
        Assert.True(statistics is { IndexBytes: >= 0, LiveBytes: >= 0, FreeBytes: >= 0, WaitingBytes: >= 0 }, statistics.ToString());
    }

    internal static byte[] Text(string text) => Encoding.UTF8.GetBytes(text);
}
