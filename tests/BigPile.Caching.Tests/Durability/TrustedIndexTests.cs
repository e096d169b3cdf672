using System;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Durability;

/// <summary>What of the files of indexes is believed where nothing compares them with a pile, which was closed and is not read.</summary>
public sealed class TrustedIndexTests : KeptFilesTest
{
    private const int CellsOffset = 4096;

    /// <summary>The copy is of the table's first use, at whose end its index had never been closed.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_older_index_that_was_never_closed_is_not_taken_for_the_last_one(bool isNextBoot)
    {
        using (PileCache cache = Open("pile", Boot))
        {
            Fill(cache, end: 100);
            KilledPile.Copy(At("pile"), At("older"));
            Fill(cache, from: 100);
        }
        Array.ForEach(TableFiles("older"), older => File.Copy(older, Path.Combine(At("pile"), Path.GetFileName(older)), true));
        CheckAll(isNextBoot ? NextBoot : Boot, isRestored: false);
    }

    /// <summary>The device refused the counters at one end, and was not given them again at the next, when nothing had changed.</summary>
    [Fact]
    public void Counters_of_an_earlier_end_are_not_those_of_this_one()
    {
        using (PileCache cache = Open("pile", Boot))
            Fill(cache, end: 100);
        byte[] older = File.ReadAllBytes(FileOf(FileIndexStorage.HeadPrefix));
        using (PileCache cache = Open("pile", Boot))
            Fill(cache, from: 100);
        Change(FileIndexStorage.HeadPrefix, bytes =>
        {
            int cells = (TableCounters.SharedCells + BitConverter.ToInt32(bytes[40..])) * TableCounters.CellBytes;
            older.AsSpan(CellsOffset, cells).CopyTo(bytes[CellsOffset..]);
        });
        CheckAll(NextBoot, isRestored: false);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_is_as_it_was_closed_is_taken(bool isNextBoot)
    {
        using (PileCache cache = Open("pile", Boot))
            Fill(cache);
        CheckAll(isNextBoot ? NextBoot : Boot, isRestored: true);
    }

    /// <summary>Behind the last bucket is no checksum, and after a clean stop nothing that a split was at.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_line_behind_the_last_bucket_takes_no_line_of_another_one(bool isNextBoot)
    {
        using (PileCache cache = Open("pile", Boot))
            Fill(cache);
        LeadFromBehind(UsedLine());
        CheckAll(isNextBoot ? NextBoot : Boot, isRestored: true);
    }

    [Fact]
    public void Notes_of_an_earlier_time_do_not_count_behind_a_clean_stop()
    {
        ulong address;
        using (PileCache cache = Open("pile", Boot))
        {
            Fill(cache);
            address = AddressOfOne(cache);
        }
        string path = Path.Combine(At("pile"), IndexFiles.FileName);
        byte[] bytes = File.ReadAllBytes(path);
        var intent = new Intent { OldAddress = address, OldVersion = 1 }; // a removal that was made, and is to be counted
        intent.Word = intent.Checked(Intent.WordOf(tableId: 1, cell: 0, entriesAdded: -1, ownsNew: false));
        MemoryMarshal.Write(bytes.AsSpan(IndexFilesHead.IntentsOffset), in intent);
        File.WriteAllBytes(path, bytes);
        CheckAll(Boot, isRestored: true);
    }

    /// <summary>Damage found before a clean stop that no comparison has repaired.</summary>
    [Fact]
    public void What_damage_may_have_cost_is_looked_for_behind_the_next_opening()
    {
        using (PileCache cache = Open("pile", Boot))
        {
            Fill(cache);
            TableOf(cache).Core.Index.SetFlag(IndexHead.DamagedFlag, true);
        }
        Change(FileIndexStorage.BucketsPrefix, static bytes =>
        {
            int slot = sizeof(ulong); // behind the bucket's word
            while (BitConverter.ToUInt64(bytes[slot..]) == 0)
                slot += Bucket.SizeBytes;
            bytes.Slice(slot, sizeof(ulong)).Clear();
        });
        using PileCache again = Open("pile", Boot);
        again.Readiness.Inspection.Wait(Eventually.Timeout);
        CheckAll(again);
    }

    /// <summary>A split that a kill cut off, with a chain that leads nowhere: it is mended while the tables are brought back.</summary>
    [Fact]
    public async Task Damage_found_while_tables_are_brought_back_hinders_no_later_look()
    {
        using (PileCache cache = Open("live", Boot))
        {
            Fill(cache);
            KilledPile.Copy(At("live"), At("pile"));
        }
        int line = UsedLine();
        LeadFromBehind(line);
        Change(FileIndexStorage.OverflowPrefix, bytes => BitConverter.TryWriteBytes(bytes[(line * Bucket.SizeBytes + 4)..], 0xFFFFFF));
        var disk = new SimulatedDisk(At("pile"), new Random(1))
        {
            Passing = static (_, _) => SpinWait.SpinUntil(static () => ThreadPool.PendingWorkItemCount == 0, Eventually.Timeout),
        };
        using PileCache again = Open("pile", Boot, disk); // which waits for what may have been queued
        disk.Passing = null;
        await again.Readiness.Inspection.WaitAsync(Eventually.Timeout);
        CheckAll(again);
        Assert.Equal(0, again.Pile.Engine.Background.FailureCount);
        Task before = again.Readiness.Inspection;
        TableOf(again).Core.ReportDamage("is said to be damaged by a test");
        await Eventually.TrueAsync(() => again.Readiness.Inspection != before);
        await again.Readiness.Inspection.WaitAsync(Eventually.Timeout);
        disk.Forget();
    }

    [Fact]
    public void Who_finds_the_indexes_in_use_is_told_that_it_is_they()
    {
        using PileCache first = Open("pile", Boot, indexes: "indexes");
        KilledPile.Copy(At("pile"), At("copy"));
        PileStorageException told = Assert.Throws<PileStorageException>(() => Open("copy", Boot, indexes: "indexes"));
        Assert.Contains("The indexes in '", told.Message, StringComparison.Ordinal);
        Assert.Contains("PileCacheOptions.IndexDirectory", told.Message, StringComparison.Ordinal);
    }

    /// <summary>No other table causes the blocks to be read.</summary>
    [Fact]
    public void Marks_of_a_table_whose_drop_was_cut_off_go_with_it()
    {
        KillDrop("pile", cache =>
        {
            Fill(cache, end: 10);
            for (int tag = 0; tag < 50; tag++)
                TableOf(cache).RemoveByTag($"tag {tag}");
        });
        using PileCache again = Open("pile", Boot);
        Assert.Empty(again.TableNames);
        Eventually.True(() => !Directory.EnumerateFiles(At("pile"), FileIndexStorage.HeadPrefix + "*").Any());
        Assert.Equal(0, again.Pile.Statistics.ObjectCount);
    }

    private void CheckAll(Guid boot, bool isRestored)
    {
        for (int opening = 0; opening < 2; opening++)
        {
            using PileCache cache = Open("pile", boot);
            Assert.Equal(isRestored || opening > 0, cache.Readiness.WasRestored);
            CheckAll(cache);
        }
    }

    private static void CheckAll(PileCache cache)
    {
        CacheTable<long, byte[]> table = TableOf(cache);
        for (long key = 0; key < Keys; key++)
            Assert.True(table.TryGet(key, out byte[]? value) && BitConverter.ToInt64(value) == key, $"key {key}");
        Assert.Equal((Keys, Keys), (table.Count, BlocksOf(cache)));
        table.Core.CheckInvariants();
    }

    // Each table has a seed of its own for its hashes: any one of the buckets may be empty.
    private static ulong AddressOfOne(PileCache cache)
    {
        TableIndex index = TableOf(cache).Core.Index;
        for (ulong number = 0; number < index.BucketCount; number++)
        {
            foreach (SlotPlace place in index.SlotsOf(number))
                return place.Value.Address;
        }
        throw new InvalidOperationException("The table is empty.");
    }

    // An overflow line that a bucket leads to, and that has entries.
    private int UsedLine()
    {
        byte[] lines = File.ReadAllBytes(FileOf(FileIndexStorage.BucketsPrefix));
        byte[] overflow = File.ReadAllBytes(FileOf(FileIndexStorage.OverflowPrefix));
        return Enumerable.Range(0, (int)BucketCount).Select(bucket => BitConverter.ToInt32(lines, bucket * Bucket.SizeBytes + 4))
            .First(line => line != 0 && BitConverter.ToInt64(overflow, line * Bucket.SizeBytes + 8) != 0);
    }

    private void LeadFromBehind(int line) => Change(FileIndexStorage.BucketsPrefix, bytes =>
    {
        Span<byte> behind = bytes.Slice((int)BucketCount * Bucket.SizeBytes, Bucket.SizeBytes);
        behind.Clear();
        BitConverter.TryWriteBytes(behind[4..], line);
    });

    private long BucketCount => BitConverter.ToInt64(File.ReadAllBytes(FileOf(FileIndexStorage.HeadPrefix)), 64);

    private string FileOf(string prefix) => Path.Combine(At("pile"), prefix + "000001");

    private string[] TableFiles(string name) =>
        [.. Directory.GetFiles(At(name), "*-000001").Where(static path => !path.Contains("segment", StringComparison.Ordinal))];

    private delegate void Damage(Span<byte> bytes);

    private void Change(string prefix, Damage damage)
    {
        byte[] bytes = File.ReadAllBytes(FileOf(prefix));
        damage(bytes);
        File.WriteAllBytes(FileOf(prefix), bytes);
    }

    private protected override PileOptions Options(Guid boot, IFileHook? hook) => base.Options(boot, hook) with { Warmup = PileWarmup.Off };
}
