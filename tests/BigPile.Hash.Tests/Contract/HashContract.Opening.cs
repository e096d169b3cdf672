using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;

namespace BigPile.Hash.Tests.Contract;

public abstract partial class HashContract
{
    [Fact]
    public void Any_other_kind_opens_it_and_goes_on()
    {
        var expected = new Dictionary<int, byte[]>();
        foreach (BlockFileKind kind in BlockFile.Kinds)
        {
            using (HashDatabase database = Open())
                Change(database, (int)kind);
            using HashDatabase other = HashDatabase.Open(FilePath, new HashDatabaseOptions { FileKind = kind });
            Assert.Equal((kind, HashEnding.Closed), (other.FileKind, other.Recovery.Ending));
            Some.AssertHolds(other, expected);
            Change(other, 100 + (int)kind);
            Some.AssertSound(other);
        }
        Assert.True(HashDatabase.Verify(FilePath).IsSound);

        void Change(HashDatabase database, int seed)
        {
            for (int i = 0; i < 300; i++)
                Put(database, expected, (seed * 7 + i) % 500, Some.Bytes(seed + i, i));
            for (int i = 0; i < 100; i++)
                Assert.Equal(expected.Remove((seed * 3 + i) % 500), database.Remove(Some.Key((seed * 3 + i) % 500)));
        }
    }

    [Fact]
    public void Only_one_writes_and_no_one_reads_beside()
    {
        using (Open())
        {
            Assert.Throws<BlockFileLockedException>(() => Open().Dispose());
            Assert.Throws<BlockFileLockedException>(() => Open(new HashDatabaseOptions { ReadOnly = true }).Dispose());
            Assert.Throws<BlockFileLockedException>(() => HashDatabase.Verify(FilePath));
            Assert.Throws<BlockFileLockedException>(() => Open(new HashDatabaseOptions { Mode = FileMode.Create }).Dispose());
        }
        Open().Dispose();
    }

    [Fact]
    public void Many_read_and_none_of_them_writes()
    {
        var expected = Enumerable.Range(0, 500).ToDictionary(static i => i, static i => Some.Bytes(i, i));
        using (HashDatabase database = Open())
        {
            foreach ((int number, byte[] value) in expected)
                database.Set(Some.Key(number), value);
        }
        byte[] before = File.ReadAllBytes(FilePath);
        var reading = new HashDatabaseOptions { ReadOnly = true };
        using (HashDatabase first = Open(reading), second = Open(reading))
        {
            foreach (HashDatabase database in (HashDatabase[])[first, second])
            {
                Assert.True(database.IsReadOnly);
                Some.AssertHolds(database, expected);
                Some.AssertSound(database);
                foreach (Action change in Changes(database))
                {
                    var error = Assert.Throws<InvalidOperationException>(change);
                    Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
                }
            }
            Assert.True(HashDatabase.Verify(FilePath).IsSound);
            Assert.Throws<BlockFileLockedException>(() => Open().Dispose());
        }
        Assert.True(before.AsSpan().SequenceEqual(File.ReadAllBytes(FilePath)), "reading has changed the file");
    }

    [Fact]
    public void What_is_missing_or_a_directory_is_refused_by_name()
    {
        HashDatabaseOptions[] all = [new() { Mode = FileMode.Open }, new() { ReadOnly = true }];
        foreach (HashDatabaseOptions options in all)
        {
            Assert.Contains(
                FilePath, Assert.Throws<FileNotFoundException>(() => Open(options).Dispose()).Message, StringComparison.Ordinal);
            Assert.False(File.Exists(FilePath));
        }
        Assert.Throws<FileNotFoundException>(() => HashDatabase.Verify(FilePath));
        Assert.ThrowsAny<IOException>(() => HashDatabase.Open(_temporary.Path).Dispose());
        Assert.ThrowsAny<IOException>(() => HashDatabase.Open(Path.Combine(_temporary.Path, "no", "database")).Dispose());
    }

    [Fact]
    public void Another_files_bytes_are_refused_and_left_alone()
    {
        foreach (int length in (int[])[1, 100, 4_096, 4_097, 100_000])
        {
            byte[] bytes = Some.Bytes(length, length);
            File.WriteAllBytes(FilePath, bytes);
            var error = Assert.Throws<HashDatabaseCorruptException>(() => Open().Dispose());
            Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
            Assert.Throws<HashDatabaseCorruptException>(() => Open(new HashDatabaseOptions { ReadOnly = true }).Dispose());
            Assert.False(HashDatabase.Verify(FilePath).IsSound);
            Assert.True(bytes.AsSpan().SequenceEqual(File.ReadAllBytes(FilePath)), "another's file was changed");
        }
        using HashDatabase database = Open(new HashDatabaseOptions { Mode = FileMode.Create, Tuning = Some.FewBuckets });
        Assert.Equal(0, database.Count);
    }

    [Fact]
    public void Create_begins_anew()
    {
        using (HashDatabase database = Open())
            database.Set("a"u8, "b"u8);
        var anew = new HashDatabaseOptions { Mode = FileMode.Create, Tuning = new HashTuning { Buckets = 3_000, Alignment = 16 } };
        using (HashDatabase database = Open(anew))
        {
            Assert.Equal((0L, 4_096L, 16), (database.Count, database.Tuning.Buckets, database.Tuning.Alignment));
            Assert.Null(database.Get("a"u8));
            Some.AssertSound(database);
        }
        using HashDatabase again = Open(); // the tuning is the file's, whatever the options say
        Assert.Equal(4_096, again.Tuning.Buckets);
    }

    [Theory]
    [InlineData(1, 4, 8)]
    [InlineData(1, 8, 4_096)]
    [InlineData(1_000, 4, 16)]
    [InlineData(100_000, 4, 8)]
    [InlineData(257, 8, 256)]
    public void Each_tuning_holds_the_same(long buckets, int offsetWidth, int alignment)
    {
        var tuning = new HashTuning { Buckets = buckets, OffsetWidth = offsetWidth, Alignment = alignment };
        var expected = new Dictionary<int, byte[]>();
        using (HashDatabase database = Open(new HashDatabaseOptions { Tuning = tuning }))
        {
            for (int i = 0; i < 1_500; i++)
                Put(database, expected, i % 1_000, Some.Bytes(i, i % 97 * 7));
            for (int i = 0; i < 1_000; i += 4)
                Assert.Equal(expected.Remove(i), database.Remove(Some.Key(i)));
            Some.AssertHolds(database, expected);
            Some.AssertSound(database);
        }
        using HashDatabase again = Open();
        Some.AssertHolds(again, expected);
        Assert.True(again.Tuning.Buckets >= buckets);
        Assert.Equal((offsetWidth, alignment), (again.Tuning.OffsetWidth, again.Tuning.Alignment));
        Some.AssertSound(again);
    }

    [Fact]
    public void Options_that_mean_nothing_are_named()
    {
        (string Name, HashDatabaseOptions Options)[] wrong =
        [
            ("Create", new() { Mode = FileMode.Append }), ("read", new() { Mode = FileMode.Create, ReadOnly = true }),
            ("Buckets", new() { Tuning = new() { Buckets = 0 } }), ("Buckets", new() { Tuning = new() { Buckets = -1 } }),
            ("Buckets", new() { Tuning = new() { Buckets = long.MaxValue } }),
            ("OffsetWidth", new() { Tuning = new() { OffsetWidth = 5 } }),
            ("Alignment", new() { Tuning = new() { Alignment = 12 } }), ("Alignment", new() { Tuning = new() { Alignment = 4 } }),
            ("Alignment", new() { Tuning = new() { Alignment = 8_192 } }), ("Tuning", new() { Tuning = null! }),
            ("UpdateMode", new() { UpdateMode = (HashUpdateMode)7 }), ("MaxKeyLength", new() { MaxKeyLength = -1 }),
            ("MaxKeyLength", new() { MaxKeyLength = HashDatabaseOptions.LongestKey + 1 }),
            ("MaxValueLength", new() { MaxValueLength = -1 }),
            ("MaxValueLength", new() { MaxValueLength = HashDatabaseOptions.LongestValue + 1 }),
            ("MaxFileSize", new() { MaxFileSize = -1 }),
        ];
        foreach ((string name, HashDatabaseOptions options) in wrong)
            Assert.Contains(name, Assert.Throws<ArgumentException>(() => Open(options).Dispose()).Message, StringComparison.Ordinal);
        Assert.ThrowsAny<ArgumentException>(() => HashDatabase.Open(FilePath, new() { FileKind = (BlockFileKind)9 }).Dispose());
        Assert.False(File.Exists(FilePath));
        using HashDatabase database = Open();
        Assert.Throws<ArgumentException>(() => database.Rebuild(new HashTuning { Buckets = 0 }));
        Assert.Equal(HashTuning.MinBuckets, database.Tuning.Buckets);
    }

    [Fact]
    public void A_closed_database_refuses_all()
    {
        HashDatabase database = Open();
        database.Set("a"u8, "b"u8);
        database.Close();
        database.Close();
        database.Dispose();
        Action[] reads =
        [
            () => database.Get("a"u8), () => database.Contains("a"u8), () => database.TryGet("a"u8, new byte[9], out _),
            () => database.TryGet("a"u8, new System.Buffers.ArrayBufferWriter<byte>()), () => _ = database.Count,
            () => database.GetStatistics(), () => database.Verify(), () => _ = database.ToList(),
        ];
        foreach (Action action in (Action[])[.. Changes(database), .. reads])
            Assert.Contains("database", Assert.Throws<ObjectDisposedException>(action).Message, StringComparison.OrdinalIgnoreCase);
        Open().Dispose();
    }

    private static Action[] Changes(HashDatabase database) =>
    [
        () => database.Set("a"u8, []), () => database.Set("new"u8, []), () => database.Set("a"u8, [], overwrite: false),
        () => database.Remove("a"u8), () => database.Append("a"u8, []), () => database.CompareExchange("a"u8, null, []),
        () => database.Increment("c"u8), () => database.Process("a"u8, static (_, _, _) => RecordChange.Keep), database.Clear,
        () => database.Rebuild(), () => database.Synchronize(), () => database.Synchronize(hard: false),
    ];
}
