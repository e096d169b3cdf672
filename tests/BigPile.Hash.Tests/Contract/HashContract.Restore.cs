using System;
using System.IO;
using System.Linq;

namespace BigPile.Hash.Tests.Contract;

public abstract partial class HashContract
{
    private const int RestoredRecords = 1_000;

    /// <summary>Cut to half, one bit of a record's first word or of its key flipped, and zeros: among records, and among buckets.</summary>
    [Theory]
    [InlineData("half")]
    [InlineData("word")]
    [InlineData("moved")]
    [InlineData("records")]
    [InlineData("buckets")]
    public void A_closed_file_that_lacks_something_is_refused_and_restored_as_far_as_it_is_sound(string damage)
    {
        MakeDamaged(damage);
        byte[] damaged = File.ReadAllBytes(FilePath);
        foreach (HashDatabaseOptions options in (HashDatabaseOptions[])[new(), new() { ReadOnly = true }])
        {
            var error = Assert.Throws<HashDatabaseCorruptException>(() => Open(options).Dispose());
            Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
            Assert.Contains(nameof(HashDatabaseOptions.Restore), error.Message, StringComparison.Ordinal);
        }
        Assert.False(HashDatabase.Verify(FilePath).IsSound);
        CheckReadOnly(damage);
        Assert.True(damaged.AsSpan().SequenceEqual(File.ReadAllBytes(FilePath)), "what was refused was changed");
        Assert.Equal([FilePath], Directory.GetFiles(_temporary.Path));

        long found;
        using (HashDatabase database = Open(new HashDatabaseOptions { Restore = HashRestoreMode.AsFarAsSound }))
        {
            HashRecovery recovery = database.Recovery;
            found = recovery.Records;
            Assert.Equal((RestoredRecords, HashEnding.Closed), (found + recovery.DamagedRecords, recovery.Ending));
            Assert.Equal(damage switch { "word" or "moved" => RestoredRecords - 1, "buckets" => RestoredRecords, _ => found }, found);
            Assert.Equal(found, database.Count(static record => IsRestored(record)));
            Some.AssertSound(database);
            for (int i = 0; i < RestoredRecords; i++)
                database.Set(Some.Key(i), Some.Bytes(i, 40));
            database.Synchronize();
        }
        Assert.InRange(found, 1, RestoredRecords);
        using HashDatabase again = Open();
        Assert.Equal((RestoredRecords, 0L), (again.Count, again.Recovery.DamagedRecords));
        Some.AssertSound(again);
    }

    /// <summary>Of 0 bytes, shorter than a head, and with a head of zeros.</summary>
    [Fact]
    public void A_file_without_a_head_is_not_new()
    {
        MakeDamaged("none");
        byte[] whole = File.ReadAllBytes(FilePath);
        byte[] headless = [.. new byte[4_096], .. whole.AsSpan(4_096)];
        var restoring = new HashDatabaseOptions { Restore = HashRestoreMode.AsFarAsSound, Tuning = Some.FewBuckets };
        foreach (byte[] bytes in (byte[][])[[], new byte[100], new byte[4_096], new byte[50_000], headless])
        {
            File.WriteAllBytes(FilePath, bytes);
            var error = Assert.Throws<HashDatabaseCorruptException>(() => Open().Dispose());
            Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
            Assert.Throws<HashDatabaseCorruptException>(() => Open(new HashDatabaseOptions { ReadOnly = true }).Dispose());
            Assert.False(HashDatabase.Verify(FilePath).IsSound);
            if (bytes == headless)
                Assert.Throws<HashDatabaseCorruptException>(() => Open(restoring).Dispose()); // without its salt nobody can read it
            Assert.True(bytes.AsSpan().SequenceEqual(File.ReadAllBytes(FilePath)), "what was refused was changed");
            if (bytes == headless)
                continue;
            using (HashDatabase database = Open(restoring))
                Assert.Equal((HashEnding.New, 0L), (database.Recovery.Ending, database.Count));
            Open().Dispose();
        }
        using HashDatabase made = Open(new HashDatabaseOptions { Mode = FileMode.Create });
        Assert.Equal(HashEnding.New, made.Recovery.Ending);
    }

    /// <summary>The first sector has a copy, without which nobody could read the records.</summary>
    [Fact]
    public void A_file_whose_first_sector_is_gone_is_restored_whole()
    {
        MakeDamaged("none");
        byte[] bytes = File.ReadAllBytes(FilePath);
        bytes.AsSpan(0, 512).Clear();
        File.WriteAllBytes(FilePath, bytes);
        Assert.Throws<HashDatabaseCorruptException>(() => Open().Dispose());
        using (HashDatabase database = Open(new HashDatabaseOptions { Restore = HashRestoreMode.AsFarAsSound }))
            Assert.Equal((RestoredRecords, 0L), (database.Count, database.Recovery.DamagedRecords));
        using HashDatabase again = Open();
        Assert.Equal(RestoredRecords, again.Count(static record => IsRestored(record)));
    }

    /// <summary>Whoever comes past a record whose key was changed can't tell whether it is the one.</summary>
    [Fact]
    public void A_changed_key_of_the_same_bucket_is_damage_for_whoever_meets_it()
    {
        MakeDamaged("key");
        using HashDatabase database = Open();
        Action[] reads =
        [
            () => database.Get(Some.Key(500)), () => database.Contains(Some.Key(500)), () => database.Remove(Some.Key(500)),
            () => database.Set(Some.Key(500), []), () => database.Append(Some.Key(500), []), () => _ = database.Count(),
            () => database.Rebuild(),
        ];
        foreach (Action read in reads)
        {
            string message = Assert.Throws<HashDatabaseCorruptException>(read).Message;
            Assert.Contains(FilePath, message, StringComparison.Ordinal);
            Assert.Contains("offset", message, StringComparison.Ordinal);
        }
        Assert.False(database.Verify().IsSound);
        int met = Enumerable.Range(0, RestoredRecords).Count(i => Record.Exception(() => database.Get(Some.Key(i))) != null);
        Assert.InRange(met, 1, RestoredRecords / 10); // others are not hindered
    }

    private void CheckReadOnly(string damage)
    {
        using HashDatabase database = Open(new HashDatabaseOptions { Restore = HashRestoreMode.ReadOnly });
        Assert.True(database.IsReadOnly);
        Assert.InRange(database.Recovery.DamagedRecords, 1, RestoredRecords - 1);
        int found = 0;
        for (int i = 0; i < RestoredRecords; i++)
        {
            byte[]? value = null;
            _ = Record.Exception(() => value = database.Get(Some.Key(i)));
            found += value == null ? 0 : 1;
            Assert.True(value == null || value.AsSpan().SequenceEqual(Some.Bytes(i, i % 90)), $"{damage}: key {i} has another value");
        }
        Assert.Equal(database.Recovery.Records, found);
        Assert.Throws<InvalidOperationException>(() => database.Set(Some.Key(1), []));
    }

    private void MakeDamaged(string damage)
    {
        using (HashDatabase database = Open())
        {
            for (int i = 0; i < RestoredRecords; i++)
                database.Set(Some.Key(i), Some.Bytes(i, i % 90));
            database.Synchronize();
        }
        byte[] bytes = File.ReadAllBytes(FilePath);
        int record = bytes.AsSpan().IndexOf(Some.Key(500)) - 32;
        switch (damage)
        {
            case "half":
                bytes = bytes[..(record / 4_096 * 4_096)];
                break;
            case "word":
                bytes[record + 1] ^= 16;
                break;
            case "key":
                Some.ChangeWithinItsBucket(bytes, Some.Key(500));
                break;
            case "moved":
                Some.FlipBeyondItsBucket(bytes, Some.Key(500));
                break;
            case "records":
                bytes.AsSpan(record, 4_096).Clear();
                break;
            case "buckets":
                bytes.AsSpan(4_096 + 512, 512).Clear();
                break;
        }
        File.WriteAllBytes(FilePath, bytes);
    }

    private static bool IsRestored(HashRecord record)
    {
        int number = Some.NumberOf(record.Key.Span);
        return record.Value.Span.SequenceEqual(Some.Bytes(number, number % 90));
    }
}
