using System;
using System.IO;
using BigPile.Allocation;
using BigPile.Checking;

namespace BigPile.Caching.Tests.Durability;

/// <summary>
/// The page of a damaged entry is recovered by another thread while a change looks at the entry, between the loads of header and page info:
/// the entry was dropped, so the change must not take it for one that is there, and free its block a second time.
/// </summary>
public sealed unsafe class EntryRecoveredMeanwhileTests : IDisposable
{
    private const int ValueBytes = 100;

    private readonly ScratchDirectory _scratch = new();

    public void Dispose() => _scratch.Dispose();

    [CrashPointTheory]
    [InlineData("remove")]
    [InlineData("put")]
    [InlineData("lease")]
    public void A_damaged_entry_is_gone_that_was_dropped_behind_the_look_at_its_header(string change)
    {
        using (PileCache cache = Open())
        {
            CacheTable<string, byte[]> table = TableOf(cache);
            table.Put("sound", new byte[ValueBytes]);
            table.Put("damaged", Pattern());
        }
        Damage();
        using PileCache opened = Open();
        CacheTable<string, byte[]> found = TableOf(opened);
        bool isOver = false;
        bool isThere;
        using (new CrashPointScope<CrashPoint>(point =>
        {
            if (point != CrashPoint.ReadBehindHeader || isOver)
                return;
            isOver = true;
            RecoverAll(opened.Pile);
        }))
        {
            isThere = change switch
            {
                "remove" => found.Remove("damaged"),
                "lease" => found.TryLease("damaged", out _, out _),
                _ => !Put(found),
            };
        }
        _ = Assert.Single(opened.Pile.Recovery.Faults);
        Assert.False(isThere);
        Assert.Equal(change == "put" ? new byte[1] : null, found.TryGet("damaged", out byte[]? value) ? value : null);
        Assert.Equal(new byte[ValueBytes], found.Get("sound"));
    }

    private static bool Put(CacheTable<string, byte[]> table)
    {
        table.Put("damaged", new byte[1]);
        return true;
    }

    private static void RecoverAll(Pile pile)
    {
        foreach (Segment segment in pile.Blocks.Allocator.Pool.Segments())
        {
            for (int page = 0; page < segment.PageCount; page++)
            {
                if (segment.Metas[page].FirstAddress is var address && pile.Blocks.Map.Find(address, out _) != null)
                    pile.Blocks.PageRecovery!.RecoverPage(address);
            }
        }
    }

    private static byte[] Pattern()
    {
        var value = new byte[ValueBytes];
        Array.Fill(value, (byte)0xA7);
        return value;
    }

    private void Damage()
    {
        byte[] pattern = Pattern();
        int found = 0;
        foreach (string path in Directory.GetFiles(_scratch.At("pile")))
        {
            byte[] bytes = File.ReadAllBytes(path);
            int at = bytes.AsSpan().IndexOf(pattern);
            if (at < 0)
                continue;
            bytes[at + ValueBytes / 2] ^= 0x10;
            File.WriteAllBytes(path, bytes);
            found++;
        }
        Assert.Equal(1, found);
    }

    private static CacheTable<string, byte[]> TableOf(PileCache cache) =>
        cache.GetOrCreateTable<string, byte[]>(TestCache.Durable("t"));

    private PileCache Open()
    {
        Pile pile = Pile.Open(_scratch.At("pile"), new PileOptions { SegmentBytes = 4 << 20, WarmupBytesPerSecond = 1 });
        pile.Recovery.Pause();
        return new PileCache(pile, new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true });
    }
}
