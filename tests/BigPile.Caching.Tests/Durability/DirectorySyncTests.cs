using System.Collections.Generic;
using System.IO;
using BigPile.Caching.Persistence;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Durability;

/// <summary>
/// What an owner relies on is on the device by name: a file system may keep an old name until the directory is written through.
/// </summary>
public sealed class DirectorySyncTests : StoppedCacheTest
{
    private string PilePath => Path.Combine(DirectoryPath, "pile");

    [Fact]
    public void A_closed_index_says_on_the_device_that_it_is_in_use_before_a_table_can_change()
    {
        using (PileCache cache = Open())
            cache.GetOrCreateTable<long, string>("t").Put(1, "one");
        var seen = new SeenOperations();
        using (PileCache cache = Open(seen))
        {
            Assert.Contains((FileOperation.Sync, IndexFiles.FileName), seen.All);
            Assert.Equal("one", cache.GetOrCreateTable<long, string>("t").Get(1));
        }
    }

    /// <summary>It would wait behind all that the killed process had stored.</summary>
    [Fact]
    public void Who_follows_a_kill_reads_before_anything_is_written_through()
    {
        string killed = Path.Combine(DirectoryPath, "killed");
        using (PileCache cache = Open())
        {
            cache.GetOrCreateTable<long, string>("t").Put(1, "one");
            cache.Pile.Flush(); // states what the catalog has
            KilledPile.Copy(PilePath, killed);
        }
        for (int opening = 0; opening < 2; opening++)
        {
            var seen = new SeenOperations();
            string next = killed + opening;
            using (PileCache cache = Open(killed, seen))
            {
                Assert.Equal("one", cache.GetOrCreateTable<long, string>("t").Get(1));
                Assert.Empty(seen.WriteThroughs);
                KilledPile.Copy(killed, next);
            }
            killed = next;
        }
    }

    [Fact]
    public void Whoever_follows_a_kill_writes_the_names_through_before_anything_is_appended()
    {
        string killed = Path.Combine(DirectoryPath, "killed");
        using (PileCache cache = Open())
        {
            cache.GetOrCreateTable<long, string>("t").Put(1, "one");
            PileFiles.Copy(PilePath, killed); // with nothing that says what the device has
        }
        var seen = new SeenOperations();
        using Pile pile = Pile.Open(killed, new PileOptions { SegmentBytes = 4 << 20, FileHook = seen });
        List<(FileOperation Operation, string Name)> all = seen.All;
        int opened = all.FindIndex(static one => one is (FileOperation.Open, "catalog"));
        int written = all.FindIndex(static one => one is (FileOperation.Write or FileOperation.Sync, "catalog"));
        int named = all.FindIndex(opened, static one => one.Operation == FileOperation.SyncDirectory);
        Assert.InRange(named, opened, written);
    }

    /// <summary>The file "use" is in the pile's directory, and that of the indexes has a name in one of its own.</summary>
    [Fact]
    public void Names_in_both_directories_are_on_the_device_before_the_indexes_are_closed()
    {
        var seen = new SeenOperations();
        string indexes = Path.Combine(DirectoryPath, "indexes");
        using (Pile pile = Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20, FileHook = seen }))
        {
            using (var cache = new PileCache(pile, new PileCacheOptions { IndexDirectory = indexes }))
                cache.GetOrCreateTable<long, string>("t").Put(1, "one");
            List<(FileOperation Operation, string Name)> all = seen.All;
            int synced = all.FindLastIndex(static one => one is (FileOperation.Sync, IndexFiles.UseFileName));
            Assert.Contains((FileOperation.SyncDirectory, "pile"), all[synced..]);
            Assert.Contains((FileOperation.SyncDirectory, "indexes"), all[synced..]);
        }
    }

    private PileCache Open(IFileHook? hook = null) => Open(PilePath, hook);

    private static PileCache Open(string path, IFileHook? hook) =>
        new(Pile.Open(path, new PileOptions { SegmentBytes = 4 << 20, FileHook = hook }), new PileCacheOptions { OwnsPile = true });
}
