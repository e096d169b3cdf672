using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Hash.Format;

namespace BigPile.Hash.Tests.Failures;

/// <summary>Damage that leaves each count as it was, or takes all that a count could be compared with.</summary>
public sealed class LossTests : IDisposable
{
    private const int Records = 1_000;

    private static readonly Guid Boot = new(1, 2, 3, new byte[8]);
    private static readonly HashDatabaseOptions Usual = new() { Tuning = Some.FewBuckets, BootId = Boot };
    private static readonly HashDatabaseOptions Restoring = Usual with { Restore = HashRestoreMode.AsFarAsSound };

    private readonly ScratchDirectory _temporary = new();

    private string FilePath => Path.Combine(_temporary.Root, "database");

    public void Dispose() => _temporary.Dispose();

    /// <summary>The same links, and each leads to a record; but keys are looked for in other chains.</summary>
    [Theory]
    [InlineData("sectors", 8)]
    [InlineData("sectors", 4)]
    [InlineData("buckets", 8)]
    [InlineData("buckets", 4)]
    [InlineData("links", 8)]
    public void Links_that_changed_places_are_refused_and_restored(string swapped, int width)
    {
        byte[] bytes = Make(Usual with { Tuning = new HashTuning { Buckets = 1_024, OffsetWidth = width } }, Records, isClosed: true);
        (int one, int other, int length) = swapped switch
        {
            "sectors" => (FileLayout.HeadBytes, FileLayout.HeadBytes + 1_024, 512),
            "buckets" => (Bucket(bytes, width, 0), Bucket(bytes, width, 500), width),
            _ => (Linked(bytes, 0), Linked(bytes, 500), 6), // without the tag
        };
        byte[] kept = bytes.AsSpan(one, length).ToArray();
        bytes.AsSpan(other, length).CopyTo(bytes.AsSpan(one));
        kept.CopyTo(bytes.AsSpan(other));
        File.WriteAllBytes(FilePath, bytes);
        Assert.False(HashDatabase.Verify(FilePath).IsSound);
        Assert.Throws<HashDatabaseCorruptException>(() => HashDatabase.Open(FilePath, Usual).Dispose());
        Assert.Throws<HashDatabaseCorruptException>(() => HashDatabase.Open(FilePath, Usual with { ReadOnly = true }).Dispose());
        using HashDatabase database = HashDatabase.Open(FilePath, Restoring);
        Assert.Equal((Records, 0L), (CountRight(database), database.Recovery.DamagedRecords));
    }

    /// <summary>
    /// The sum that opening compares does not change when two links of one chain are swapped; a walk of the chains finds them.
    /// </summary>
    [Fact]
    public void A_ring_within_a_chain_is_found_by_a_verification()
    {
        byte[] bytes = Make(Usual, Records, isClosed: true);
        int bucket = Bucket(bytes, sizeof(long), 0);
        int first = (int)BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(bucket));
        int second = (int)RecordHead.Read(bytes.AsSpan(first)).Next;
        Assert.NotEqual(0, second);
        byte[] kept = bytes.AsSpan(first + RecordHead.NextAt, 6).ToArray();
        bytes.AsSpan(second + RecordHead.NextAt, 6).CopyTo(bytes.AsSpan(first + RecordHead.NextAt));
        kept.CopyTo(bytes.AsSpan(second + RecordHead.NextAt));
        File.WriteAllBytes(FilePath, bytes);
        Assert.False(HashDatabase.Verify(FilePath).IsSound);
        using HashDatabase database = HashDatabase.Open(FilePath, Restoring);
        Assert.Equal((Records, 0L), (CountRight(database), database.Recovery.DamagedRecords));
    }

    /// <summary>Opening a closed file does not read it; restoring one does.</summary>
    [Theory]
    [InlineData(RecordHead.Bytes)] // the key
    [InlineData(RecordHead.Bytes + 4)] // the value
    [InlineData(16)]
    [InlineData(18 + 4)] // the key's length
    [InlineData(24)] // the value's length
    public void What_is_left_of_a_closed_file_works_behind_a_restoration(int damaged)
    {
        byte[] bytes = Make(Usual, Records, isClosed: true);
        bytes[OffsetOf(bytes, 17) + damaged] ^= 1;
        File.WriteAllBytes(FilePath, bytes);
        using (HashDatabase database = HashDatabase.Open(FilePath, Restoring))
        {
            Assert.Equal((HashEnding.Closed, 1L), (database.Recovery.Ending, database.Recovery.DamagedRecords));
            Assert.Equal((Records - 1, Records - 1L), (CountRight(database), database.Count));
            for (int i = 0; i < Records; i++)
                database.Set(KeyOf(i), ValueOf(i));
            database.Rebuild();
            Some.AssertSound(database);
        }
        using HashDatabase again = HashDatabase.Open(FilePath, Restoring);
        Assert.Equal((Records, 0L), (CountRight(again), again.Recovery.DamagedRecords));
    }

    /// <summary>Links and records are gone together, so that chains lack nothing; the head says how many there were.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Behind_a_kill_what_was_synchronized_is_missed(bool isCut)
    {
        byte[] bytes = Make(Usual, Records, isClosed: false);
        if (isCut)
            bytes = bytes[..FileLayout.HeadBytes];
        else
            bytes.AsSpan(FileLayout.HeadBytes).Clear();
        File.WriteAllBytes(FilePath, bytes);
        using (HashDatabase database = HashDatabase.Open(FilePath, isCut ? Restoring : Usual))
        {
            Assert.Equal((HashEnding.Killed, (long)Records), (database.Recovery.Ending, database.Recovery.DamagedRecords));
            database.Set(KeyOf(1), ValueOf(1));
            bytes = PileFiles.ReadShared(FilePath);
        }
        File.WriteAllBytes(FilePath, bytes);
        using HashDatabase again = HashDatabase.Open(FilePath, Usual);
        Assert.Equal((HashEnding.Killed, 0L, 1L), (again.Recovery.Ending, again.Recovery.DamagedRecords, again.Count)); // it was said
    }

    /// <summary>What outdates a synchronized record vouches for it, in each opening behind a kill.</summary>
    [Fact]
    public void Behind_kills_nothing_is_missed_that_was_replaced_or_removed()
    {
        byte[] bytes = Make(Usual, Records, isClosed: false);
        for (int round = 0; round < 4; round++)
        {
            File.WriteAllBytes(FilePath, bytes);
            using HashDatabase database = HashDatabase.Open(FilePath, Usual);
            Assert.Equal((HashEnding.Killed, 0L), (database.Recovery.Ending, database.Recovery.DamagedRecords));
            for (int i = round; i < Records; i += 3)
                database.Remove(KeyOf(i));
            for (int i = round; i < Records; i += 5)
                database.Set(KeyOf(i), ValueOf(i));
            bytes = PileFiles.ReadShared(FilePath);
        }
    }

    /// <summary>The partial unit at the end of a cut file is no extent, and must not become one when the file grows.</summary>
    [Theory]
    [InlineData(8)]
    [InlineData(64)]
    [InlineData(512)]
    public void A_file_that_ends_within_a_unit_is_recovered_and_opened_again(int alignment)
    {
        HashDatabaseOptions options = Usual with { Tuning = new HashTuning { Buckets = 256, Alignment = alignment } };
        byte[] bytes = Make(options, 60, isClosed: false);
        int last = OffsetOf(bytes, 40);
        for (int length = 1; length < Math.Min(alignment, 64) + 8; length += 3)
        {
            int added = length % 2 == 0 ? 0 : 200;
            long count;
            File.WriteAllBytes(FilePath, bytes[..(last + length)]);
            using (HashDatabase database = HashDatabase.Open(FilePath, options))
            {
                for (int i = 0; i < added; i++)
                    database.Set(KeyOf(i), ValueOf(i));
                count = database.Count;
            }
            using HashDatabase again = HashDatabase.Open(FilePath, options);
            Assert.Equal((HashEnding.Closed, count), (again.Recovery.Ending, again.Count));
        }
    }

    /// <summary>A closed file that ends with a part of a unit is opened as it is, which says nothing in a later opening.</summary>
    [Fact]
    public void A_closed_file_that_ends_within_a_unit_is_opened_again()
    {
        HashDatabaseOptions options = Usual with { Tuning = new HashTuning { Buckets = 256, Alignment = 512 } };
        byte[] bytes = Make(options, 60, isClosed: true);
        FileLayout layout = FileLayout.Read(bytes, FilePath, bytes.Length);
        bytes = bytes[..(Enumerable.Range(0, 60).Max(i => OffsetOf(bytes, i)) + 512)];
        byte[] longer = [.. bytes, .. new byte[40]];
        ExtentWord word = ExtentWord.Of(1, ExtentKind.Live, bytes.Length, layout.Salt);
        RecordHead.Of(word, 0, 5, KeyOf(7), default, bytes.Length, layout).Write(longer.AsSpan(bytes.Length));
        KeyOf(7).CopyTo(longer.AsSpan(bytes.Length + RecordHead.Bytes));
        File.WriteAllBytes(FilePath, longer);
        HashDatabase.Open(FilePath, options).Dispose();
        using HashDatabase again = HashDatabase.Open(FilePath, options);
        Assert.Equal(60, CountRight(again));
    }

    /// <summary>Nobody is told that a destination is too short for a length that was never stored.</summary>
    [Fact]
    public void A_damaged_length_of_a_value_is_damage_and_no_short_destination()
    {
        byte[] bytes = Make(Usual, Records, isClosed: true);
        bytes[OffsetOf(bytes, 21) + 24] ^= 1;
        File.WriteAllBytes(FilePath, bytes);
        using HashDatabase database = HashDatabase.Open(FilePath, Usual);
        Assert.Throws<HashDatabaseCorruptException>(() => database.TryGet(KeyOf(21), new byte[ValueOf(21).Length], out _));
        Assert.Throws<ArgumentException>(() => database.TryGet(KeyOf(22), new byte[1], out _));
    }

    private static byte[] KeyOf(int number) => BitConverter.GetBytes(number);

    private static byte[] ValueOf(int number) => Some.Bytes(number, 4 + number % 5 * 2);

    private static int CountRight(HashDatabase database) =>
        Enumerable.Range(0, Records).Count(i => ValueOf(i).AsSpan().SequenceEqual(database.Get(KeyOf(i))) && database.Contains(KeyOf(i)));

    // One of the next 500 buckets that has two records.
    private static int Bucket(byte[] bytes, int width, int from)
    {
        FileLayout layout = FileLayout.Read(bytes, "", bytes.Length);
        IEnumerable<long> numbers = Enumerable.Range(0, Records).Select(i => layout.BucketOf(KeyHash.Of(KeyOf(i), layout.Seed)));
        long bucket = numbers.Where(bucket => bucket >= from && bucket < from + 500)
            .CountBy(static bucket => bucket).First(static pair => pair.Value == 2).Key;
        Assert.Equal(width, layout.OffsetWidth);
        return (int)layout.LinkOf(bucket);
    }

    // The link of the first record in such a bucket.
    private static int Linked(byte[] bytes, int from) =>
        (int)BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(Bucket(bytes, sizeof(long), from))) + RecordHead.NextAt;

    private static int OffsetOf(byte[] bytes, int number)
    {
        FileLayout layout = FileLayout.Read(bytes, "", bytes.Length);
        byte[] record = [.. KeyOf(number), .. ValueOf(number)];
        return (int)layout.AreaStart + bytes.AsSpan((int)layout.AreaStart).IndexOf(record) - RecordHead.Bytes;
    }

    private byte[] Make(HashDatabaseOptions options, int records, bool isClosed)
    {
        using HashDatabase database = HashDatabase.Open(FilePath, options);
        for (int i = 0; i < records; i++)
            database.Set(KeyOf(i), ValueOf(i));
        database.Synchronize();
        byte[] killed = PileFiles.ReadShared(FilePath);
        database.Close();
        return isClosed ? File.ReadAllBytes(FilePath) : killed;
    }
}
