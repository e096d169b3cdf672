using System;

namespace BigPile.Caching.Tests.Spill;

/// <summary>A pointer to a spilled value, which has to come back to memory first: where it can't, the exception says why.</summary>
public sealed class PointerToSpilledTests : IDisposable
{
    private const long PileBytes = 32 << 20;
    private const int ValueBytes = 1_008; // as an object it takes a smaller slot than with its key

    private static readonly EntryOptions Pinned = new() { Priority = EntryPriority.NeverEvict };

    private readonly TemporaryDirectory _directory = new();
    private readonly PileCache _cache;

    public PointerToSpilledTests() => _cache = new PileCache(
        new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
        new PileCacheOptions { OwnsPile = true, SpillDirectory = _directory.Path, SweepPeriod = TimeSpan.Zero });

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public void The_table_is_full_of_what_stays()
    {
        CacheTable<int, byte[]> table = Make(new TableOptions("t") { MaxEntries = 100 });
        for (int key = 1; key <= 100; key++)
            table.Put(key, new byte[ValueBytes], Pinned);
        Assert.Equal(1, table.Statistics.SpilledEntries);
        string message = Assert.Throws<PileFullException>(() => table.GetPointer(0)).Message;
        Assert.Contains("the table is at its limit", message, StringComparison.Ordinal);
        Assert.Contains("MaxEntries", message, StringComparison.Ordinal);
        Assert.NotNull(table.Get(0));
    }

    [Fact]
    public void The_pile_is_full_of_what_stays()
    {
        CacheTable<int, byte[]> table = Make(new TableOptions("t"));
        PilePointer[] pair = [_cache.Pile.Put(new byte[ValueBytes]), _cache.Pile.Put(new byte[ValueBytes])];
        try
        {
            while (true)
                _cache.Pile.Put(new byte[ValueBytes / 2]);
        }
        catch (PileFullException)
        {
            // of objects
        }
        Eventually.True(() => table.Statistics.SpilledEntries == 1);
        _cache.Pile.Delete(pair[0]); // space for the object, and none for the entry
        string message = Assert.Throws<PileFullException>(() => table.GetPointer(0)).Message;
        Assert.Contains("the pile is full", message, StringComparison.Ordinal);
        Assert.Contains("PileOptions.MaxBytes", message, StringComparison.Ordinal);
        Assert.NotNull(table.Get(0));
    }

    private CacheTable<int, byte[]> Make(TableOptions options)
    {
        CacheTable<int, byte[]> table = _cache.GetOrCreateTable<int, byte[]>(options);
        table.PutBytes(0, new byte[ValueBytes], out _);
        return table;
    }
}
