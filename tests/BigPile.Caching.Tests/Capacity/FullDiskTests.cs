using System;
using System.IO;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>Indexes need disk space beside segments: the space of the flush logs is for them, too.</summary>
public sealed class FullDiskTests : IDisposable
{
    private const int Megabyte = 1 << 20;
    private const int Keys = 20_000;

    private readonly TemporaryDirectory _temporary = new();

    private string DiskPath => Path.Combine(_temporary.Path, "disk");

    private string PilePath => Path.Combine(DiskPath, "pile");

    public void Dispose() => _temporary.Dispose();

    [SmallDiskFact]
    public void An_index_grows_into_the_room_of_logs()
    {
        using var disk = new SmallDisk(DiskPath, 40L * Megabyte);
        using Pile pile = Open();
        using var cache = new PileCache(pile);
        FillLogs(cache);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("small");
        FillDisk(disk);
        for (int key = 0; key < Keys; key++)
            table.Put(key, BitConverter.GetBytes(key));
        for (int key = 0; key < Keys; key++)
            Assert.Equal(key, BitConverter.ToInt32(table.Get(key)));
        Assert.True(pile.Verify().IsSound);
    }

    [SmallDiskFact]
    public void A_table_is_made_in_the_room_of_logs()
    {
        using var disk = new SmallDisk(DiskPath, 40L * Megabyte);
        using Pile pile = Open();
        using var cache = new PileCache(pile);
        FillLogs(cache);
        FillDisk(disk);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("new");
        table.Put(1, [2]);
        Assert.Equal([2], table.Get(1));
    }

    [SmallDiskFact]
    public void What_has_no_room_says_so_and_leaves_what_is_there()
    {
        using var disk = new SmallDisk(DiskPath, 40L * Megabyte);
        int count = 0;
        using (Pile pile = Open())
        using (var cache = new PileCache(pile))
        {
            CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("small");
            table.Put(-1, new byte[100_000]);
            FillDisk(disk);
            Assert.Throws<PileFullException>(() => cache.GetOrCreateTable<int, byte[]>("new"));
            Assert.Throws<PileFullException>(() =>
            {
                for (; count < Keys; count++)
                    table.Put(count, BitConverter.GetBytes(count));
            });
            Assert.True(count > 0);
            for (int key = 0; key < count; key++)
                Assert.Equal(key, BitConverter.ToInt32(table.Get(key)));
            File.Delete(Path.Combine(DiskPath, "ballast"));
            table.Put(count, BitConverter.GetBytes(count));
        }
        using Pile again = Open();
        using var tables = new PileCache(again);
        CacheTable<int, byte[]> found = tables.GetOrCreateTable<int, byte[]>("small");
        for (int key = 0; key <= count; key++)
            Assert.Equal(key, BitConverter.ToInt32(found.Get(key)));
    }

    private Pile Open() => Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 * Megabyte });

    // Few and large values: the log has all of them, and hardly any other space is used.
    private static void FillLogs(PileCache cache)
    {
        CacheTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>("large");
        for (int key = 0; key < 200; key++)
        {
            large.Put(key, new byte[100_000]);
            if (key % 10 == 9)
                cache.Pile.Flush();
        }
        for (int key = 0; key < 60; key++)
            large.Remove(key);
        cache.Pile.Flush();
    }

    private void FillDisk(SmallDisk disk)
    {
        using FileStream ballast = File.Create(Path.Combine(DiskPath, "ballast"));
        var page = new byte[4096];
        for (long left = disk.FreeBytes; left >= page.Length; left -= page.Length)
            ballast.Write(page);
    }
}
