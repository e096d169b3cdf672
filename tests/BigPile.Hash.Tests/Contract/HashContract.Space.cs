using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;

namespace BigPile.Hash.Tests.Contract;

public abstract partial class HashContract
{
    /// <summary>Values of one size are replaced over and over: what is behind a record's end is used again.</summary>
    [Fact]
    public void A_file_does_not_grow_by_replacing()
    {
        using HashDatabase database = Open();
        for (int i = 0; i < 500; i++)
            database.Set(Some.Key(i), Some.Bytes(i, 100));
        database.Set(Some.Key(0), Some.Bytes(1, 100));
        long before = database.GetStatistics().FileBytes;
        for (int round = 1; round <= 40; round++)
        {
            for (int i = 0; i < 500; i++)
                database.Set(Some.Key(i), Some.Bytes(round + i, 100));
        }
        HashStatistics after = Some.AssertSound(database);
        Assert.Equal((before, 0L), (after.FileBytes, after.WaitingBytes));
    }

    [Fact]
    public void A_file_that_is_synchronized_between_grows_to_twice_the_live_bytes_at_most()
    {
        using HashDatabase database = Open();
        long limit = 0;
        for (int round = 0; round < 8; round++)
        {
            for (int i = 0; i < 700; i++)
                database.Set(Some.Key(i), Some.Bytes(round + i, 1_000));
            database.Synchronize();
            HashStatistics statistics = Some.AssertSound(database);
            Assert.Equal(0, statistics.WaitingBytes);
            limit = round == 0 ? statistics.IndexBytes + 2 * statistics.LiveBytes + (1 << 20) : limit;
            Assert.InRange(statistics.FileBytes, 0, limit);
        }
    }

    [Fact]
    public void Room_of_removed_records_is_used_for_others()
    {
        using HashDatabase database = Open();
        long bytes = 0;
        for (int round = 0; round < 10; round++)
        {
            for (int i = 0; i < 300; i++)
                database.Set(Some.Key(round * 300 + i), Some.Bytes(i, 2_000));
            bytes = round == 0 ? database.GetStatistics().FileBytes : bytes;
            for (int i = 0; i < 300; i++)
                Assert.True(database.Remove(Some.Key(round * 300 + i)));
        }
        HashStatistics after = Some.AssertSound(database);
        Assert.InRange(after.FileBytes, 0, bytes + (256 << 10)); // several shards, each with a chunk
        Assert.Equal(0, after.LiveBytes);
    }

    [Fact]
    public void Records_only_come_behind_others_when_that_is_asked_for()
    {
        var appending = new HashDatabaseOptions { Tuning = Some.FewBuckets, UpdateMode = HashUpdateMode.Appending };
        long grown;
        using (HashDatabase database = Open(appending))
        {
            for (int round = 0; round < 30; round++)
            {
                for (int i = 0; i < 500; i++)
                    database.Set(Some.Key(i), Some.Bytes(round + i, 200));
            }
            grown = Some.AssertSound(database).FileBytes;
            Assert.True(grown > 30 * 500 * 200, $"{grown:N0} bytes");
        }
        using HashDatabase again = Open();
        Some.AssertHolds(again, Enumerable.Range(0, 500).ToDictionary(static i => i, static i => Some.Bytes(29 + i, 200)));
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; i < 500; i++)
                again.Set(Some.Key(i), Some.Bytes(round + i, 200));
        }
        Assert.InRange(Some.AssertSound(again).FileBytes, 0, grown);
        again.Rebuild();
        Assert.True(again.GetStatistics().FileBytes < grown / 2);
    }

    [Fact]
    public void A_limit_of_the_file_is_kept_and_named()
    {
        var options = new HashDatabaseOptions { Tuning = Some.FewBuckets, MaxFileSize = 3 << 20 };
        var expected = new Dictionary<int, byte[]>();
        using (HashDatabase database = Open(options))
        {
            FillUp(database, expected);
            Assert.InRange(database.GetStatistics().FileBytes, 1 << 20, 3 << 20);
        }
        Assert.InRange(new FileInfo(FilePath).Length, 0, 3 << 20);
        using HashDatabase again = Open(); // without a limit
        Some.AssertHolds(again, expected);
        again.Set("one more"u8, new byte[100_000]);
    }

    [Fact]
    public void A_value_that_grows_by_small_parts_needs_no_more_than_some_times_its_length()
    {
        const int partBytes = 50_000;
        const int parts = 120;
        using HashDatabase database = Open(new HashDatabaseOptions { Tuning = Some.FewBuckets });
        var part = new byte[partBytes];
        for (int i = 0; i < parts; i++)
            database.Append("log"u8, part);
        Assert.Equal(parts * partBytes, database.Get("log"u8)!.Length);
        Assert.InRange(Some.AssertSound(database).FileBytes, parts * partBytes, 5L * parts * partBytes);
    }

    private static bool TrySet(HashDatabase database, byte[] key, byte[] value)
    {
        try
        {
            return database.Set(key, value);
        }
        catch (BlockFileFullException)
        {
            return false;
        }
    }

    [Fact]
    public void A_file_that_can_not_grow_keeps_small_records_in_the_rooms_of_large_ones()
    {
        const int smallBytes = 250;
        var options = new HashDatabaseOptions { Tuning = Some.FewBuckets, MaxFileSize = 3 << 20 };
        using (HashDatabase database = Open(options))
        {
            int large = 0;
            while (TrySet(database, Some.Key(large), Some.Bytes(large, 20_000)))
                large++;
            for (int i = 0; i < large; i++)
                database.Set(Some.Key(i), Some.Bytes(i, smallBytes));
            int count = (2 << 20) / (smallBytes + 100);
            for (int i = 0; i < count; i++)
                database.Set(Some.Key(i), Some.Bytes(i, smallBytes));
            Some.AssertHolds(database, Enumerable.Range(0, count).ToDictionary(static i => i, static i => Some.Bytes(i, smallBytes)));
            Assert.InRange(Some.AssertSound(database).FileBytes, 0, 3 << 20);
        }
        using HashDatabase again = Open(options);
        _ = Some.AssertSound(again);
    }

    /// <summary>A disk of 6 MiB that really is full: an exception, no signal; and the database goes on.</summary>
    [SmallDiskFact]
    public void A_full_disk_is_an_exception_and_the_database_as_it_was()
    {
        using var disk = new SmallDisk(Path.Combine(_temporary.Path, "disk"), 6 << 20);
        string path = Path.Combine(disk.Path, "database");
        var options = new HashDatabaseOptions { FileKind = Kind, Tuning = Some.FewBuckets };
        var expected = new Dictionary<int, byte[]>();
        using (HashDatabase database = HashDatabase.Open(path, options))
        {
            FillUp(database, expected);
            Assert.Throws<BlockFileFullException>(() => database.Rebuild(new HashTuning { Buckets = 1 << 20 }));
            Some.AssertHolds(database, expected);
            database.Synchronize();
        }
        Assert.Equal([path], Directory.GetFiles(disk.Path));
        using HashDatabase again = HashDatabase.Open(path, options);
        Some.AssertHolds(again, expected);
        Some.AssertSound(again);
        HashDatabaseOptions tooLarge = options with { Tuning = new() { Buckets = 1 << 24 } };
        Assert.Throws<BlockFileFullException>(() => HashDatabase.Open(path + "-2", tooLarge));
    }

    // Until nothing goes in; then some is removed, and something else goes in.
    private static void FillUp(HashDatabase database, Dictionary<int, byte[]> expected)
    {
        for (int i = 0; ; i++)
        {
            byte[] value = Some.Bytes(i, 100 + i % 7 * 1_000);
            Exception? error = Record.Exception(() => database.Set(Some.Key(i), value));
            if (error != null)
            {
                Assert.Contains(database.Path, Assert.IsType<BlockFileFullException>(error).Message, StringComparison.Ordinal);
                Assert.Null(database.Get(Some.Key(i)));
                break;
            }
            expected[i] = value;
        }
        Assert.Throws<BlockFileFullException>(() => database.Append(Some.Key(0), new byte[8 << 20]));
        Assert.Throws<BlockFileFullException>(() => database.CompareExchange(Some.Key(0), expected[0], new byte[8 << 20]));
        Assert.Throws<BlockFileFullException>(() => database.Set(Some.Key(1), new byte[8 << 20]));
        Some.AssertHolds(database, expected);
        for (int i = 0; i < 100; i++)
            Assert.Equal(expected.Remove(i), database.Remove(Some.Key(i)));
        for (int i = 0; i < 50; i++)
            Put(database, expected, i, Some.Bytes(-i, 100 + i % 7 * 1_000));
        Some.AssertHolds(database, expected);
        Some.AssertSound(database);
    }
}
