using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Hash.Tests.Contract;

public abstract partial class HashContract
{
    [Fact]
    public void A_walk_gives_each_record_once_while_records_change_under_it()
    {
        const int Steady = 700;
        using HashDatabase database = Open();
        for (int i = 0; i < Steady; i++)
            database.Set(Some.Key(i), Some.Bytes(i, i % 300));
        var seen = new HashSet<int>();
        int step = 0;
        foreach (HashRecord record in database)
        {
            int number = Some.NumberOf(record.Key.Span);
            Assert.True(seen.Add(number), $"key {number} comes twice");
            if (number < Steady && !record.Value.Span.StartsWith("new"u8))
                Assert.Equal(Some.Bytes(number, number % 300), record.Value.ToArray());
            step++;
            database.Set(Some.Key(number < Steady ? number : step), (byte[])[.. "new"u8, .. Some.Bytes(step, step % 500)]);
            if (step <= 500)
                database.Set(Some.Key(10_000 + step), "new"u8);
            if (step % 5 == 0)
                database.Remove(Some.Key(10_000 + step - 1));
        }
        Assert.True(seen.Count(static number => number < Steady) == Steady, "the walk leaves a record out");
        Some.AssertSound(database);
    }

    [Fact]
    public void A_walk_survives_a_rebuild_and_a_clear()
    {
        const int Count = 600;
        using HashDatabase database = Open();
        for (int i = 0; i < Count; i++)
            database.Set(Some.Key(i), Some.Bytes(i, 20));
        var seen = new HashSet<int>();
        foreach (HashRecord record in database)
        {
            Assert.True(seen.Add(Some.NumberOf(record.Key.Span)));
            if (seen.Count is 100 or 200 or 300)
                database.Rebuild(new HashTuning { Buckets = seen.Count == 200 ? 256 : 2_048 });
        }
        Assert.Equal(Count, seen.Count);
        int left = 0;
        foreach (HashRecord _ in database)
        {
            if (left++ == 50)
                database.Clear();
        }
        Assert.InRange(left, 51, Count);
        Assert.Empty(database);
    }

    [Fact]
    public void Walks_are_independent_and_end_with_the_database()
    {
        HashDatabase database = Open();
        for (int i = 0; i < 3_000; i++)
            database.Set(Some.Key(i), []);
        IEnumerator<HashRecord> first = database.GetEnumerator(), second = database.GetEnumerator();
        Assert.True(first.MoveNext());
        Assert.True(second.MoveNext());
        Assert.True(first.Current.Key.Span.SequenceEqual(second.Current.Key.Span));
        first.Dispose();
        Assert.True(second.MoveNext());
        database.Close();
        Assert.Throws<ObjectDisposedException>(() =>
        {
            while (second.MoveNext())
            {
            }
        });
        second.Dispose();
    }

    [Fact]
    public void What_a_walk_gave_stays_as_it_is()
    {
        using HashDatabase database = Open();
        database.Set("a"u8, "one"u8);
        HashRecord record = Assert.Single(database);
        database.Set("a"u8, "two"u8);
        database.Clear();
        Assert.True(record.Key.Span.SequenceEqual("a"u8) && record.Value.Span.SequenceEqual("one"u8));
    }

    [Fact]
    public void Clear_removes_all_and_gives_the_room_back()
    {
        using HashDatabase database = Open();
        long bytes = 0;
        for (int round = 0; round < 6; round++)
        {
            for (int i = 0; i < 2_000; i++)
                database.Set(Some.Key(i), Some.Bytes(i, 100));
            bytes = round == 0 ? database.GetStatistics().FileBytes : bytes;
            Assert.Equal(2_000, database.Count);
            database.Clear();
            Assert.Equal(0, database.Count);
            Assert.Empty(database);
            Assert.Null(database.Get(Some.Key(1)));
            Assert.Equal(0, Some.AssertSound(database).LiveBytes);
        }
        Assert.InRange(database.GetStatistics().FileBytes, 0, bytes);
        database.Set("a"u8, "b"u8);
        Assert.Single(database);
    }

    [Fact]
    public void A_rebuild_keeps_all_and_has_the_new_tuning()
    {
        var expected = new Dictionary<int, byte[]>();
        using (HashDatabase database = Open())
        {
            for (int i = 0; i < 3_000; i++)
                Put(database, expected, i, Some.Bytes(i, i % 400));
            for (int i = 0; i < 3_000; i += 2)
                Assert.Equal(expected.Remove(i), database.Remove(Some.Key(i)));
            foreach (HashTuning? tuning in (HashTuning?[])[null, new() { Buckets = 5_000, OffsetWidth = 4, Alignment = 64 },
                new() { Buckets = 10, Alignment = 4_096 }, new() { Buckets = 2_000 }, null])
            {
                database.Rebuild(tuning);
                Some.AssertHolds(database, expected);
                Some.AssertSound(database);
                Put(database, expected, 5_000 + expected.Count, Some.Bytes(1, 1));
                if (tuning != null)
                    Assert.Equal((tuning.OffsetWidth, tuning.Alignment), (database.Tuning.OffsetWidth, database.Tuning.Alignment));
            }
            Assert.Equal(2_048, database.Tuning.Buckets);
            Assert.Equal(FilePath, database.Path);
        }
        Assert.Equal([FilePath], System.IO.Directory.GetFiles(_temporary.Path));
        using HashDatabase again = Open();
        Assert.Equal(2_048, again.Tuning.Buckets);
        Some.AssertHolds(again, expected);
    }

    [Fact]
    public void A_rebuild_gives_the_disk_its_room_back()
    {
        using HashDatabase database = Open();
        for (int i = 0; i < 4_000; i++)
            database.Set(Some.Key(i), Some.Bytes(i, 1_000));
        for (int i = 10; i < 4_000; i++)
            database.Remove(Some.Key(i));
        long before = database.GetStatistics().FileBytes;
        database.Rebuild();
        HashStatistics after = Some.AssertSound(database);
        Assert.True(after.FileBytes < before / 2, $"{before:N0} bytes, and then {after}");
        Assert.Equal(10, database.Count);
    }
}
