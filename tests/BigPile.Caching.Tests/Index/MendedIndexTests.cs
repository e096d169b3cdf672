using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Tests.Index;

/// <summary>Kept indexes that were damaged: nothing comes back, nothing is lost, and all is counted.</summary>
public sealed partial class MendedIndexTests : StoppedCacheTest
{
    private const int Keys = 200;

    private string PilePath => Path.Combine(DirectoryPath, "live");

    [Theory]
    [InlineData(4096 + 8)] // bytes of blocks, in the first cell
    [InlineData(4096 + 128)] // entries, in the second one
    [InlineData(256 + 8)] // what is added to the sum of the bytes
    public void A_damaged_counter_empties_no_table_that_has_a_limit(int offset)
    {
        string killed = Kill(Fill);
        Change(killed, FileIndexStorage.HeadPrefix, offset, static bytes => BitConverter.TryWriteBytes(bytes, 1L << 40));
        using PileCache cache = Open(killed);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(
            TestCache.Durable() with { MaxEntries = 10 * Keys, MaxBytes = 1 << 20 });
        table.Put(Keys, [1]);
        Assert.Equal(Keys + 1, table.Count);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void What_is_removed_while_a_damaged_index_is_compared_does_not_come_back()
    {
        string killed = Kill(Fill);
        DamageSlots(killed);
        var inspects = new TaskCompletionSource();
        string again = Path.Combine(DirectoryPath, "again");
        using (PileCache cache = Open(killed, inspects.Task))
        {
            RemoveSome(cache);
            KilledPile.Copy(killed, again);
            inspects.SetResult();
            cache.Readiness.Inspection.Wait();
            AssertRemoved(cache);
            CacheTable<long, byte[]> table = TableOf(cache);
            for (long key = 0; key < Keys; key++)
                Assert.Equal(!IsRemoved(key), table.ContainsKey(key)); // the others are found again
            table.Core.CheckInvariants();
            Assert.Equal(table.Count, cache.Pile.Statistics.ObjectCount - cache.Engines().Sum(static core => core.Tags.Count));
        }
        using PileCache last = Open(again); // which does not know any more what was removed
        last.Readiness.Inspection.Wait();
        AssertRemoved(last);
        TableOf(last).Core.CheckInvariants();
    }

    [Fact]
    public void An_index_is_compared_also_where_another_table_has_lost_its_own()
    {
        string killed = Kill(static cache =>
        {
            Fill(cache);
            cache.GetOrCreateTable<long, byte[]>("other").Put(1, [1]);
        });
        DamageSlots(killed);
        File.Delete(Path.Combine(killed, FileIndexStorage.NamesOf(2)[0]));
        using PileCache cache = Open(killed);
        cache.Readiness.Inspection.Wait();
        Assert.Equal([1L], cache.GetOrCreateTable<long, byte[]>("other").Keys);
        Assert.Equal(Keys, TableOf(cache).Keys.Count());
        Assert.Equal(Keys, TableOf(cache).Count);
    }

    [Fact]
    public void Lines_that_were_damaged_behind_a_clean_stop_are_mended()
    {
        string stopped = Stop(Fill);
        Change(stopped, FileIndexStorage.BucketsPrefix, 2, static bytes => bytes[0] ^= 1 << 4); // a level
        Change(stopped, FileIndexStorage.BucketsPrefix, 4, static bytes =>
        {
            int next = Bucket.SizeBytes;
            while (bytes[next] != 0) // a chain that is cut off would be counted line by line, and entry by entry
                next += Bucket.SizeBytes;
            bytes[next] = 77; // a line that there is not
        });
        using (PileCache cache = Open(stopped))
        {
            Assert.True(cache.Readiness.WasRestored);
            cache.Readiness.Inspection.Wait();
            Assert.Equal(2, TableOf(cache).Core.DamageCount);
            Assert.Equal(Keys, TableOf(cache).Keys.Count());
            TableOf(cache).Core.CheckInvariants();
        }
        using PileCache again = Open(stopped);
        again.Readiness.Inspection.Wait();
        Assert.Equal(0, TableOf(again).Core.DamageCount);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(33)]
    [InlineData(50)]
    [InlineData(63)]
    public void A_slot_that_was_damaged_behind_a_clean_stop_leads_to_its_entry_again(int bit)
    {
        string stopped = Stop(Fill);
        Change(stopped, FileIndexStorage.BucketsPrefix, 7 * Bucket.SizeBytes, bytes =>
        {
            int at = sizeof(ulong);
            while (BitConverter.ToUInt64(bytes[at..]) == 0)
                at += sizeof(ulong);
            bytes[at + bit / 8] ^= (byte)(1 << bit % 8);
        });
        using PileCache cache = Open(stopped);
        Assert.True(cache.Readiness.WasRestored);
        cache.Readiness.Inspection.Wait();
        for (long key = 0; key < Keys; key++)
            Assert.True(TableOf(cache).ContainsKey(key));
        Assert.Equal(Keys, TableOf(cache).Keys.Count());
        TableOf(cache).Core.CheckInvariants();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_table_with_a_fixed_index_opens_again_with_its_options(bool wasKilled)
    {
        TableOptions options = new("fixed") { FixedIndex = true, InitialEntries = 2_000 };
        void Make(PileCache cache) => cache.GetOrCreateTable<long, byte[]>(options).Put(1, [1]);
        using PileCache cache = Open(wasKilled ? Kill(Make) : Stop(Make));
        Assert.Equal([1L], cache.GetOrCreateTable<long, byte[]>(options).Keys);
        Assert.Throws<ArgumentException>(() => cache.GetOrCreateTable<long, byte[]>(options with { FixedIndex = false }));
    }

    [Fact]
    public void Each_damage_that_turns_up_later_is_looked_into()
    {
        using PileCache cache = Open(PilePath);
        Fill(cache);
        TableEngine core = TableOf(cache).Core;
        ulong number = 0;
        for (int round = 1; round <= 2; round++)
        {
            do
                number++;
            while (NextOf(core, number) != 0); // a chain that is cut off would be counted line by line, and entry by entry
            Task before = cache.Readiness.Inspection;
            SetNext(core, number, uint.MaxValue); // a line that there never will be
            for (long key = 10_000; NextOf(core, number) == uint.MaxValue; key++)
            {
                if (core.Index.Locate(core.Hash.Of(BitConverter.GetBytes(key))) == number)
                    TableOf(cache).Put(key, [1]);
            }
            Eventually.True(() => cache.Readiness.Inspection != before);
            cache.Readiness.Inspection.Wait();
            Assert.Equal(round, core.DamageCount);
        }
        for (long key = 0; key < Keys; key++)
            Assert.True(TableOf(cache).ContainsKey(key));
        core.CheckInvariants();
    }

    [Fact]
    public void A_file_that_claims_to_be_huge_takes_no_more_of_the_disk_than_it_needs()
    {
        string stopped = Stop(Fill);
        string path = Path.Combine(stopped, FileIndexStorage.NamesOf(1)[1]);
        long lengthBytes = new FileInfo(path).Length;
        using (FileStream file = File.OpenWrite(path))
            file.SetLength(8L << 40);
        using PileCache cache = Open(stopped);
        Assert.True(cache.Readiness.WasRestored);
        Assert.Equal(Keys, TableOf(cache).Keys.Count());
        Assert.InRange(new FileInfo(path).Length, lengthBytes, lengthBytes + LineSource.ChunkBytes);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_drop_that_was_cut_off_leaves_nothing_though_its_index_is_damaged_or_gone(bool isGone)
    {
        string killed = Kill(static cache =>
        {
            Fill(cache);
            cache.GetOrCreateTable<long, byte[]>("other").Put(1, [1]);
        });
        using (Pile pile = Pile.Open(killed))
            new TableIds(pile.Engine.Catalog).Drop(1, pile.Engine.Versions.Last);
        if (isGone)
            Array.ForEach(FileIndexStorage.NamesOf(1), name => File.Delete(Path.Combine(killed, name)));
        else
            Change(killed, FileIndexStorage.HeadPrefix, 64, static bytes => bytes[0] ^= 1);
        using PileCache cache = Open(killed);
        cache.Readiness.Inspection.Wait();
        Assert.Equal(1, cache.Pile.Statistics.ObjectCount);
        Eventually.True(() => !File.Exists(Path.Combine(killed, FileIndexStorage.NamesOf(1)[0])));
        Assert.Equal(1, cache.GetOrCreateTable<long, byte[]>("new").Core.Id);
    }

    [Fact]
    public void A_pile_has_one_cache_at_a_time()
    {
        using Pile pile = Pile.Open(PilePath);
        using (var cache = new PileCache(pile))
        {
            Fill(cache);
            Assert.Contains("has a cache already", Assert.Throws<InvalidOperationException>(() => new PileCache(pile)).Message,
                StringComparison.Ordinal);
            Assert.Equal(Keys, TableOf(cache).Count);
        }
        Assert.Throws<ArgumentException>(() => new PileCache(
            pile, new PileCacheOptions { DefaultTableOptions = new TableOptions("t") }));
        using var next = new PileCache(pile);
        Assert.Equal(Keys, TableOf(next).Count);
    }

    /// <summary>The new bucket's chunk is one that only the split needed.</summary>
    [Fact]
    public void A_split_at_the_border_of_a_chunk_that_a_kill_cut_off_is_finished()
    {
        const long Entries = 4 * LineSource.LinesPerChunk;
        string killed = Kill(static cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(
                TestCache.Durable() with { InitialEntries = Entries });
            Assert.Equal((ulong)LineSource.LinesPerChunk, table.Core.Index.BucketCount);
            for (long key = 0; key < Entries; key++)
                table.PutBytes(key, [1], out _);
            Assert.Equal((ulong)LineSource.LinesPerChunk, table.Core.Index.BucketCount);
            _ = KilledSplitTests.CutOff(table.Core.Index, KilledSplitTests.Step.Clearing, new Random(TestLeg.Seed(16)));
        });
        using PileCache cache = Open(killed);
        CacheTable<long, byte[]> kept = TableOf(cache);
        Assert.True(cache.Readiness.WasRestored);
        Assert.Equal(LineSource.LinesPerChunk + 1UL, kept.Core.Index.BucketCount);
        kept.Core.CheckInvariants();
        for (long key = 0; key < Entries; key++)
            Assert.True(kept.ContainsKey(key));
    }

    [Fact]
    public void Tables_keep_no_files_open()
    {
        if (!OperatingSystem.IsLinux())
            return;
        using PileCache cache = Open(PilePath);
        int before = Directory.GetFiles("/proc/self/fd").Length;
        for (int i = 0; i < 400; i++)
            cache.GetOrCreateTable<long, byte[]>($"t{i}").Put(i, [1]);
        Assert.InRange(Directory.GetFiles("/proc/self/fd").Length, 0, before + 200); // others open some meanwhile
    }

    [Fact]
    public void An_index_whose_file_was_replaced_does_not_grow_into_the_other_one()
    {
        using PileCache cache = Open(PilePath);
        Fill(cache);
        string path = Path.Combine(PilePath, FileIndexStorage.NamesOf(1)[1]);
        File.Move(path, path + "-away");
        File.WriteAllBytes(path, new byte[4096]);
        TableIndex index = TableOf(cache).Core.Index;
        ulong count = index.BucketCount;
        index.GrowFor(1_000_000);
        Assert.Equal(count, index.BucketCount);
        Assert.Equal(4096, new FileInfo(path).Length);
        File.Move(path + "-away", path, overwrite: true);
        index.GrowFor(1_000_000);
        Assert.True(index.BucketCount > count);
        Assert.Equal(Keys, TableOf(cache).Keys.Count());
    }
}
