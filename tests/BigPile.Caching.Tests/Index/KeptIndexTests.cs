using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using BigPile.Caching.Index;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Index;

/// <summary>The indexes in files: used after a stop and after a kill, and never when they may be wrong.</summary>
public sealed class KeptIndexTests : StoppedCacheTest
{
    [Fact]
    public void After_a_clean_stop_the_index_is_as_it_was()
    {
        using (PileCache cache = TestCache.Open(DirectoryPath, Time))
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 300_000; key++)
                table.PutBytes(key, BitConverter.GetBytes(key), out _);
            cache.GetOrCreateTable<string, string>("options").Put("a", "1", new EntryOptions
            {
                MaxAge = TimeSpan.FromSeconds(100), Sliding = TimeSpan.FromSeconds(60), Priority = EntryPriority.High, Tags = ["tag"],
            });
            cache.GetOrCreateTable<long, byte[]>("empty");
        }
        using (PileCache cache = TestCache.Open(DirectoryPath, Time, waits: false))
        {
            Assert.True(cache.Readiness is { IsReady: true, WasRestored: true });
            cache.Readiness.Inspection.Wait(); // marks of tags stay until then
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            Assert.Equal(300_000, table.Count);
            for (long key = 0; key < 300_000; key += 7)
                Assert.Equal(key, BitConverter.ToInt64(table.Get(key)));
            AssertDescribed(cache.GetOrCreateTable<string, string>("options"));
            for (long key = 0; key < 300_000; key++)
                Assert.True(table.Remove(key));
            Assert.Equal(1, cache.Pile.Statistics.ObjectCount);
        }
    }

    [Fact]
    public void A_full_disk_costs_the_index_its_growth_and_nothing_else()
    {
        var disk = new FullDisk();
        var put = new List<long>();
        string path = System.IO.Path.Combine(DirectoryPath, "pile");
        using (var cache = new PileCache(
            Pile.Open(path, new PileOptions { SegmentBytes = 4 << 20, FileHook = disk }),
            new PileCacheOptions { OwnsPile = true, DefaultTableOptions = TestCache.AllDurable }))
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            disk.IsFull = true;
            int refused = 0;
            for (long key = 0; key < 2_000; key++)
            {
                if (Record.Exception(() => table.Put(key, [1])) is not { } error)
                    put.Add(key);
                else
                    refused += Assert.IsType<PileStorageException>(error).Message.Contains("disk", StringComparison.Ordinal) ? 1 : 0;
            }
            Assert.InRange(put.Count, 300, 1_999);
            Assert.Equal(2_000 - put.Count, refused);
            Assert.Equal(put, table.Keys.Order());
            disk.IsFull = false;
            for (long key = 2_000; key < 10_000; key++)
            {
                table.Put(key, [1]);
                put.Add(key);
            }
            Assert.Equal(put, table.Keys.Order());
            table.Core.CheckInvariants();
        }
        using PileCache again = TestCache.Open(path, Time);
        Assert.Equal(put, again.GetOrCreateTable<long, byte[]>("t").Keys.Order());
    }

    [Fact]
    public void After_a_kill_tables_come_back_with_their_indexes_and_exact_counts()
    {
        string killed = Kill(cache =>
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
            for (long key = 0; key < 100_000; key++)
                table.PutBytes(key, BitConverter.GetBytes(key), out _);
            for (long key = 0; key < 100_000; key += 3)
                table.Remove(key);
        });
        using PileCache cache = TestCache.Open(killed, Time, waits: false);
        Assert.True(cache.Readiness is { IsReady: true, WasRestored: true });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        Assert.Equal(66_666, table.Count);
        for (long key = 0; key < 100_000; key += 7)
            Assert.Equal(key % 3 != 0, table.ContainsKey(key));
        cache.Readiness.Inspection.Wait(Eventually.Timeout);
        Assert.Equal(0, table.Core.DamageCount);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void An_index_in_a_directory_of_its_own_comes_back_and_without_it_the_entries_are_found()
    {
        string indexes = System.IO.Path.Combine(DirectoryPath, "indexes");
        foreach (bool isKept in new[] { false, true, false })
        {
            using var cache = new PileCache(
                Pile.Open(System.IO.Path.Combine(DirectoryPath, "pile"), new PileOptions { SegmentBytes = 4 << 20 }),
                new PileCacheOptions { OwnsPile = true, IndexDirectory = indexes, WaitsUntilReady = true });
            Assert.Equal(isKept, cache.Readiness.WasRestored);
            CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
            for (long key = 0; key < 1_000; key++)
            {
                Assert.Equal(table.ContainsKey(key) ? "x" : null, table.TryGet(key, out string? value) ? value : null);
                table.Put(key, "x");
            }
            Assert.Equal(1_000, table.Count);
            cache.Dispose();
            if (isKept)
                System.IO.Directory.Delete(indexes, recursive: true); // as a start of the machine does
        }
    }

    [Fact]
    public void A_limit_on_a_large_table_holds_while_its_queues_fill()
    {
        const long Entries = 300_000;
        using PileCache cache = TestCache.Make(Time);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < Entries; key++)
            table.PutBytes(key, [1], out _);
        table.Configure(TestCache.Durable() with { MaxEntries = Entries });
        for (long key = Entries; key < Entries + 20_000; key++)
        {
            table.PutBytes(key, [1], out _);
            Assert.InRange(table.Count, 1, Entries);
        }
        Assert.Equal(Entries, table.Count);
        table.Core.CheckInvariants();
    }

    [Fact]
    public void Notes_of_a_table_whose_index_was_lost_do_not_count_later()
    {
        string killed = Kill(static cache => cache.GetOrCreateTable<long, string>("t").Put(1, "x"));
        string index = System.IO.Path.Combine(killed, IndexFiles.FileName);
        byte[] bytes = System.IO.File.ReadAllBytes(index);
        var intent = new Intent { Entries = 1_000 }; // what the cell is said to have had
        intent.Word = intent.Checked(Intent.WordOf(tableId: 1, cell: 9, entriesAdded: 1, ownsNew: false));
        MemoryMarshal.Write(bytes.AsSpan(IndexFilesHead.IntentsOffset + 9 * Intent.SizeBytes), intent);
        System.IO.File.WriteAllBytes(index, bytes);
        System.IO.File.Delete(System.IO.Path.Combine(killed, FileIndexStorage.NamesOf(1)[0]));
        string again = System.IO.Path.Combine(DirectoryPath, "again");
        using (PileCache cache = TestCache.Open(killed, Time))
        {
            Assert.False(cache.Readiness.WasRestored);
            KilledPile.Copy(killed, again);
        }
        using PileCache last = TestCache.Open(again, Time);
        Assert.True(last.Readiness.WasRestored);
        Assert.Equal(1, last.GetOrCreateTable<long, string>("t").Count);
    }

    [Fact]
    public void A_cache_whose_pile_was_closed_before_it_leaves_the_files_to_the_next_owner()
    {
        string path = System.IO.Path.Combine(DirectoryPath, "pile");
        var pile = Pile.Open(path, new PileOptions { SegmentBytes = 4 << 20 });
        var cache = new PileCache(pile);
        cache.GetOrCreateTable<long, string>("t").Put(1, "x");
        pile.Dispose();
        using (PileCache next = TestCache.Open(path, Time))
        {
            next.GetOrCreateTable<long, string>("t").Put(2, "y");
            cache.Dispose();
            next.GetOrCreateTable<long, string>("t").Put(3, "z");
        }
        using PileCache last = TestCache.Open(path, Time);
        Assert.Equal([1, 2, 3], last.GetOrCreateTable<long, string>("t").Keys.Order());
    }

    [Fact]
    public void Who_is_not_inside_may_ask_for_the_size_of_an_index_that_is_gone()
    {
        using PileCache cache = TestCache.Open(DirectoryPath, Time);
        TableEngine core = cache.GetOrCreateTable<long, string>("t").Core;
        Assert.True(cache.DropTable("t"));
        Assert.Equal(64u, core.Index.BucketCount); // its file is unmapped: an access would end the process
        Assert.Equal(1u, core.Index.Overflow.End);
        Assert.Equal(0, core.Statistics.EntryCount);
    }

    /// <summary>A disk without space for indexes.</summary>
    private sealed class FullDisk : IFileHook
    {
        internal bool IsFull { get; set; }

        public void Before(FileOperation operation, string path)
        {
            string name = System.IO.Path.GetFileName(path);
            bool isOfIndex = name.StartsWith(FileIndexStorage.BucketsPrefix, StringComparison.Ordinal)
                || name.StartsWith(FileIndexStorage.OverflowPrefix, StringComparison.Ordinal);
            if (IsFull && operation == FileOperation.Allocate && isOfIndex)
                throw new System.IO.IOException($"'{name}': no space left on the disk (made up by a test).");
        }

        public void After(FileOperation operation, string path)
        {
        }
    }
}
