using System;
using System.IO;
using BigPile.Checking;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Spill;

/// <summary>A kill of a process whose table spills: the next one has the pile's entries, and never an older value from the file.</summary>
public sealed class KilledSpillTests : IDisposable
{
    private const int Keys = 3_000; // about three times what memory has

    private readonly ScratchDirectory _scratch = new();

    public void Dispose() => _scratch.Dispose();

    [Fact]
    public void A_kill_leaves_the_piles_entries_and_nothing_of_the_file()
    {
        long left;
        using (PileCache cache = Open("live", out CacheTable<int, byte[]> table))
        {
            PutTwiceAndRemove(table);
            Kill();
            left = table.Count;
            Assert.NotEqual(0, table.Statistics.SpilledEntries);
        }
        Assert.Equal(left, CheckKilled());
    }

    [CrashPointTheory]
    [InlineData(nameof(CrashPoint.RemoveBeforeFreed))]
    [InlineData(nameof(CrashPoint.FreedBeforeReturned))]
    [InlineData(nameof(CrashPoint.ChangeBeforeDone))]
    [InlineData(nameof(CrashPoint.PutBeforeHeader))]
    [InlineData(nameof(CrashPoint.EntryBeforeSwap))]
    public void A_kill_on_the_way_to_the_file_or_back_brings_no_older_value(string at)
    {
        using (PileCache cache = Open("live", out CacheTable<int, byte[]> table))
        {
            PutTwiceAndRemove(table);
            bool isKilled = false;
            using var hook = new CrashPointScope<CrashPoint>(point =>
            {
                if (isKilled || point.ToString() != at)
                    return;
                isKilled = true;
                Kill();
            });
            for (int key = 0; key < Keys && !isKilled; key++)
                _ = table.TryGet(key, out _); // comes back from the file, and another entry goes there
            Assert.True(isKilled, "no entry came back from the file");
        }
        Assert.InRange(CheckKilled(), 1, Keys);
    }

    private static void PutTwiceAndRemove(CacheTable<int, byte[]> table)
    {
        for (int number = 0; number < 2; number++)
        {
            for (int key = 0; key < Keys; key++)
                table.Put(key, SpillingCache.Value(key, number));
        }
        for (int key = 0; key < Keys; key += 7)
            Assert.True(table.Remove(key));
    }

    // Returns how many keys are left.
    private long CheckKilled()
    {
        using PileCache cache = Open("killed", out CacheTable<int, byte[]> table);
        Assert.True(cache.Readiness.Inspection.Wait(Eventually.Timeout));
        long left = table.Count;
        table.Core.CheckInvariantsAt("the opening");
        Assert.Equal((0, left), (table.Statistics.SpilledEntries, CheckValues(table)));
        for (int key = Keys; key < 2 * Keys; key++)
            table.Put(key, SpillingCache.Value(key)); // into a file where the other process had one
        Assert.NotEqual(0, table.Statistics.SpilledEntries);
        Assert.Equal(left, CheckValues(table));
        return left;
    }

    private static long CheckValues(CacheTable<int, byte[]> table)
    {
        long found = 0;
        for (int key = 0; key < Keys; key++)
        {
            if (!table.TryGet(key, out byte[]? value))
                continue;
            Assert.True(key % 7 != 0, $"The key {key} was removed.");
            Assert.Equal(SpillingCache.Value(key, 1), value);
            found++;
        }
        return found;
    }

    private PileCache Open(string name, out CacheTable<int, byte[]> table)
    {
        var cache = new PileCache(
            Pile.Open(_scratch.At(name), new PileOptions { SegmentBytes = 4 << 20 }),
            new PileCacheOptions
            {
                OwnsPile = true,
                SweepPeriod = TimeSpan.Zero,
                WaitsUntilReady = true,
                SpillDirectory = _scratch.At($"{name}-spilled"),
            });
        table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable() with { MaxBytes = 1 << 20 });
        return cache;
    }

    private void Kill()
    {
        KilledPile.Copy(_scratch.At("live"), _scratch.At("killed"));
        foreach (string directory in Directory.EnumerateDirectories(_scratch.At("live-spilled")))
        {
            string to = Path.Combine(_scratch.At("killed-spilled"), Path.GetFileName(directory));
            _ = Directory.CreateDirectory(to);
            using HeldDirectory held = HeldDirectory.Open(directory); // reads what the owner has locked
            foreach (string path in Directory.EnumerateFiles(directory))
            {
                using HeldFile file = held.TryOpen(Path.GetFileName(path), FileAccess.Read)!;
                File.WriteAllBytes(Path.Combine(to, Path.GetFileName(path)), file.ReadAll());
            }
        }
    }
}
