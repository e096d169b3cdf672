using System;
using System.Buffers.Binary;

namespace BigPile.Hash.Tests.Contract;

public abstract partial class HashContract
{
    [Fact]
    public void What_is_appended_comes_behind_what_is_there()
    {
        using HashDatabase database = Open();
        Assert.Equal(3, database.Append("a"u8, "one"u8, ", "u8));
        Assert.Equal("one"u8, database.Get("a"u8)!);
        Assert.Equal(8, database.Append("a"u8, "two"u8, ", "u8));
        Assert.Equal(11, database.Append("a"u8, "end"u8));
        Assert.Equal("one, twoend"u8, database.Get("a"u8)!);
        Assert.Equal(12, database.Append("a"u8, [], "!"u8));
        Assert.Equal(12, database.Append("a"u8, []));
        Assert.Equal("one, twoend!"u8, database.Get("a"u8)!);
        Assert.Equal(0, database.Append("nothing"u8, [], ", "u8));
        Assert.Equal([], database.Get("nothing"u8)!);
        Assert.Equal(2, database.Append("nothing"u8, [], ", "u8));
        Assert.Equal(2, database.Count);
    }

    [Fact]
    public void Many_small_appends_make_one_long_value()
    {
        byte[] expected = Some.Bytes(5, 30_000);
        using HashDatabase database = Open();
        for (int at = 0; at < expected.Length; at += 10)
            Assert.Equal(at + 10, database.Append("a"u8, expected.AsSpan(at, 10)));
        Assert.Equal(expected, database.Get("a"u8));
        HashStatistics statistics = Some.AssertSound(database);
        Assert.True(statistics.LiveBytes < 3 * expected.Length, statistics.ToString());
    }

    [Fact]
    public void A_record_is_exchanged_only_if_it_is_what_was_expected()
    {
        using HashDatabase database = Open();
        byte[] one = "one"u8.ToArray(), two = "two"u8.ToArray();
        Assert.False(database.CompareExchange("a"u8, one, two));
        Assert.False(database.CompareExchange("a"u8, [], two));
        Assert.True(database.CompareExchange("a"u8, null, null));
        Assert.Equal(0, database.Count);
        Assert.True(database.CompareExchange("a"u8, null, one));
        Assert.False(database.CompareExchange("a"u8, null, two));
        Assert.False(database.CompareExchange("a"u8, two, one));
        Assert.False(database.CompareExchange("a"u8, "on"u8.ToArray(), two));
        Assert.False(database.CompareExchange("a"u8, "one."u8.ToArray(), two));
        Assert.Equal(one, database.Get("a"u8));
        Assert.True(database.CompareExchange("a"u8, one, one));
        Assert.True(database.CompareExchange("a"u8, one, []));
        Assert.False(database.CompareExchange("a"u8, null, two));
        Assert.True(database.CompareExchange("a"u8, [], two));
        Assert.False(database.CompareExchange("a"u8, one, null));
        Assert.True(database.CompareExchange("a"u8, two, null));
        Assert.Equal(0, database.Count);
        Assert.Null(database.Get("a"u8));
        Some.AssertSound(database);
    }

    [Fact]
    public void A_counter_counts()
    {
        using (HashDatabase database = Open())
        {
            Assert.Equal(1, database.Increment("a"u8));
            Assert.Equal(2, database.Increment("a"u8));
            Assert.Equal(-8, database.Increment("a"u8, -10));
            Assert.Equal(-8, database.Increment("a"u8, 0));
            Assert.Equal(105, database.Increment("b"u8, 5, initial: 100));
            Assert.Equal(106, database.Increment("b"u8, 1, initial: 1_000));
            Assert.Equal(7, database.Increment("c"u8, 0, initial: 7));
            Assert.Equal(-8, BinaryPrimitives.ReadInt64LittleEndian(database.Get("a"u8)));
            Assert.Equal(3, database.Count);
            var bytes = new byte[8];
            BinaryPrimitives.WriteInt64LittleEndian(bytes, 1L << 40);
            database.Set("c"u8, bytes);
            Assert.Equal((1L << 40) + 1, database.Increment("c"u8));
            Some.AssertSound(database);
        }
        using HashDatabase again = Open();
        Assert.Equal(-7, again.Increment("a"u8));
        Assert.Equal(107, again.Increment("b"u8));
    }

    [Fact]
    public void A_counter_that_would_overflow_stays()
    {
        using HashDatabase database = Open();
        Assert.Equal(long.MaxValue, database.Increment("most"u8, 0, long.MaxValue));
        Assert.Throws<OverflowException>(() => database.Increment("most"u8));
        Assert.Throws<OverflowException>(() => database.Increment("most"u8, long.MaxValue));
        Assert.Equal(long.MaxValue, database.Increment("most"u8, 0));
        Assert.Equal(-1, database.Increment("most"u8, long.MinValue));
        Assert.Equal(long.MinValue, database.Increment("least"u8, long.MinValue));
        Assert.Throws<OverflowException>(() => database.Increment("least"u8, -1));
        Assert.Equal(long.MinValue, database.Increment("least"u8, 0));
        Assert.Throws<OverflowException>(() => database.Increment("new"u8, 1, long.MaxValue));
        Assert.False(database.Contains("new"u8));
        Assert.Equal(2, database.Count);
    }

    [Fact]
    public void A_value_that_is_no_counter_is_refused_and_stays()
    {
        using HashDatabase database = Open();
        foreach (int length in (int[])[0, 1, 7, 9, 16, 1_000])
        {
            byte[] value = Some.Bytes(length, length);
            database.Set("a"u8, value);
            var error = Assert.Throws<InvalidOperationException>(() => database.Increment("a"u8));
            Assert.Contains($"{length:N0}", error.Message, StringComparison.Ordinal);
            Assert.Equal(value, database.Get("a"u8));
        }
    }

    [Fact]
    public void A_callback_sees_the_record_and_changes_it()
    {
        using HashDatabase database = Open();
        database.Process("a"u8, static (exists, value, _) =>
        {
            Assert.Equal((false, 0), (exists, value.Length));
            return RecordChange.Remove;
        });
        database.Process("a"u8, static (_, _, _) => RecordChange.Keep);
        Assert.Equal(0, database.Count);
        database.Process("a"u8, static (_, _, state) => RecordChange.Set(state), "one"u8.ToArray());
        Assert.Equal("one"u8, database.Get("a"u8)!);
        database.Process("a"u8, static (exists, value, _) =>
        {
            Assert.True(exists && value.SequenceEqual("one"u8));
            return RecordChange.Keep;
        });
        database.Process("a"u8, static (_, value, _) => RecordChange.Set((byte[])[.. value, .. value]));
        Assert.Equal("oneone"u8, database.Get("a"u8)!);
        database.Process("a"u8, static (_, _, _) => RecordChange.Set(ReadOnlyMemory<byte>.Empty));
        Assert.Equal([], database.Get("a"u8)!);
        database.Process("a"u8, static (exists, _, _) => exists ? RecordChange.Remove : RecordChange.Keep);
        Assert.False(database.Contains("a"u8));
        Assert.Equal(0, database.Count);
        Some.AssertSound(database);
    }

    [Fact]
    public void A_callback_that_throws_leaves_the_record_as_it_was()
    {
        using HashDatabase database = Open();
        database.Set("a"u8, "one"u8);
        for (int i = 0; i < 3; i++)
        {
            Assert.Throws<InvalidTimeZoneException>(
                () => database.Process("a"u8, static (_, _, _) => throw new InvalidTimeZoneException()));
            Assert.Throws<InvalidTimeZoneException>(
                () => database.Process("b"u8, static (_, _, _) => throw new InvalidTimeZoneException()));
        }
        Assert.Equal("one"u8, database.Get("a"u8)!);
        Assert.True(database.Set("a"u8, "two"u8)); // nobody holds its lock
        Assert.True(database.Set("b"u8, "two"u8));
        Assert.Equal(2, database.Count);
        database.Clear();
        database.Rebuild();
        Some.AssertSound(database);
    }

    [Fact]
    public void A_callback_may_not_call_the_database()
    {
        using HashDatabase database = Open();
        database.Set("a"u8, "one"u8);
        Action[] changes =
        [
            () => database.Set("a"u8, []), () => database.Set("other"u8, []), () => database.Remove("a"u8),
            () => database.Append("a"u8, []), () => database.CompareExchange("a"u8, null, []), () => database.Increment("c"u8),
            () => database.Process("b"u8, static (_, _, _) => RecordChange.Keep), database.Clear, () => database.Synchronize(),
            () => database.Rebuild(), database.Close, database.Dispose,
        ];
        Action[] reads =
        [
            () => database.Get("a"u8), () => database.Contains("b"u8), () => database.TryGet("a"u8, new byte[9], out _),
            () => database.Verify(), () => { using var walk = database.GetEnumerator(); walk.MoveNext(); },
        ];
        foreach (Action change in (Action[])[.. changes, .. reads])
        {
            database.Process("a"u8, (_, _, _) =>
            {
                Assert.IsType<InvalidOperationException>(Record.Exception(change));
                return RecordChange.Keep;
            });
        }
        Assert.Equal("one"u8, database.Get("a"u8)!);
        Assert.Equal(1, database.Count);
        using HashDatabase other = HashDatabase.Open(FilePath + "-other", new HashDatabaseOptions { Tuning = Some.FewBuckets });
        database.Process("a"u8, (_, value, _) =>
        {
            other.Set("a"u8, value); // another database is none of its business
            return RecordChange.Keep;
        });
        Assert.Equal("one"u8, other.Get("a"u8)!);
        Some.AssertSound(database);
    }

    [Fact]
    public void A_callback_that_is_missing_is_named()
    {
        using HashDatabase database = Open();
        Assert.Throws<ArgumentNullException>(() => database.Process("a"u8, null!));
        Assert.Throws<ArgumentNullException>(() => database.TryGet("a"u8, null!));
        Assert.Throws<ArgumentException>(() => HashDatabase.Open("").Dispose());
    }
}
