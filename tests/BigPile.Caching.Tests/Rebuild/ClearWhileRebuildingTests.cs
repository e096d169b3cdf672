using System;
using System.Threading.Tasks;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Tests.Rebuild;

/// <summary>A clear in a pile without space for its mark, while the table's index is rebuilt: no key comes back.</summary>
public sealed class ClearWhileRebuildingTests : StoppedCacheTest
{
    private const int SegmentBytes = 4 << 20;

    // Entries and tombstones of such keys are so large that what they leave is no space for a mark.
    private static readonly string Replaced = new('a', 1_000);
    private static readonly string Removed = new('b', 1_000);

    [Fact]
    public void One_that_fails_lets_no_older_entry_come_back()
    {
        using Pile pile = OpenKilled();
        using var core = new HalfBuilt(pile, Time);
        ulong[] found = core.FindAll();
        CacheTable<string, byte[]> table = ChangeAndFill(pile, core);
        core.EndsWith(new TaskCompletionSource().Task, new InvalidOperationException("The walk has failed."));
        Assert.Throws<PileFullException>(() => table.Clear());
        Find(core, found);
        Assert.Equal([2], table.Get(Replaced));
        Assert.False(table.ContainsKey(Removed));
    }

    [Fact]
    public async Task One_that_waits_for_the_rebuild_removes_all()
    {
        using Pile pile = OpenKilled();
        using var core = new HalfBuilt(pile, Time);
        ulong[] found = core.FindAll();
        CacheTable<string, byte[]> table = ChangeAndFill(pile, core);
        var end = new TaskCompletionSource();
        core.EndsWith(end.Task);
        Task clear = SideBySide.Start(() => table.Clear());
        Find(core, found);
        end.SetResult();
        await clear;
        Assert.False(table.ContainsKey(Replaced));
        Assert.Equal(0, core.Count);
    }

    private Pile OpenKilled()
    {
        string killed = KillWithoutIndexes(cache =>
        {
            CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
            table.Put(Replaced, [1]);
            table.Put(Removed, [1]);
        });
        return Pile.Open(killed, new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
    }

    private static CacheTable<string, byte[]> ChangeAndFill(Pile pile, HalfBuilt core)
    {
        CacheTable<string, byte[]> table = core.Cover<string>();
        table.Put(Replaced, [2]);
        table.Remove(Removed);
        // First those of the size of the entries, so that no page gets empty without them.
        int entryBytes = EntryHead.ShortBytes + Replaced.Length;
        FillWith(pile, entryBytes);
        for (int bytes = 8; bytes < 64; bytes += 8)
            FillWith(pile, bytes);
        return table;
    }

    private static void FillWith(Pile pile, int bytes)
    {
        Action fill = () => Array.ForEach(new byte[SegmentBytes / (bytes + 8)], _ => pile.Put(new byte[bytes]));
        Assert.Throws<PileFullException>(fill);
    }

    private static void Find(HalfBuilt core, ulong[] found)
    {
        foreach (ulong address in found)
            core.AddFound(address);
        core.End();
    }
}
