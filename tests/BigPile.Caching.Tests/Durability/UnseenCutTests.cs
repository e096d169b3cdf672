using System;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>A power cut that a pile recovered from by itself, before its tables are opened again.</summary>
public sealed class UnseenCutTests : IDisposable
{
    private readonly ScratchDirectory _scratch = new();
    private readonly SimulatedDisk _disk;
    private readonly Guid _boot = Guid.NewGuid();
    private readonly Guid _nextBoot = Guid.NewGuid();

    public UnseenCutTests() => _disk = new SimulatedDisk(_scratch.At("life0"), new Random(1));

    public void Dispose()
    {
        _disk.Forget();
        _scratch.Dispose();
    }

    /// <summary>The indexes were closed, with all that there was; of the entries the cut took what was not flushed.</summary>
    [Theory]
    [InlineData(nameof(CutKind.Nothing), false)]
    [InlineData(nameof(CutKind.Nothing), true)]
    [InlineData(nameof(CutKind.Everything), false)]
    [InlineData(nameof(CutKind.Everything), true)]
    public void What_was_flushed_is_there_though_indexes_were_closed_behind_it(string reached, bool isKilled)
    {
        ChangeWhatWasFlushed();
        CloseIndexesAlone();
        _disk.Cut(_scratch.At("cut"), Enum.Parse<CutKind>(reached));
        string recovered = RecoverPileAlone(isKilled);

        using PileCache cache = Open(recovered, _nextBoot);
        CacheTable<long, byte[]> table = TableOf(cache);
        Assert.True(table.TryGet(1, out byte[]? first) && first[0] is 1 or 11, "what was put anew is neither old nor new");
        Assert.True(table.TryGet(2, out byte[]? second) && second[0] == 2, "what was removed, and the removal not flushed, is gone");
        Assert.Equal(2, table.Count);
        Assert.Equal(2, cache.Pile.LongCount(static entry => entry.Kind == PayloadKind.TableEntry));
    }

    // The process is killed.
    private void ChangeWhatWasFlushed()
    {
        using PileCache cache = Open("life0", _boot, _disk);
        CacheTable<long, byte[]> table = TableOf(cache);
        table.Put(1, [1]);
        table.Put(2, [2]);
        cache.Pile.Flush();
        table.Put(1, [11]);
        Assert.True(table.Remove(2));
        Kill("life0", "life1");
    }

    // Nothing is put meanwhile: the last version is the one that the pile has reserved.
    private void CloseIndexesAlone()
    {
        using Pile pile = Pile.Open(_scratch.At("life1"), Options(_boot, _disk));
        using (PileCache cache = new(pile, CacheOptions))
            Assert.False(TableOf(cache).ContainsKey(2));
        Kill("life1", "life2");
    }

    private string RecoverPileAlone(bool isKilled)
    {
        string name = "cut";
        if (isKilled)
        {
            using Pile killed = Pile.Open(_scratch.At("cut"), Options(_nextBoot, null));
            Assert.True(killed.Recovery.WasPowerCut);
            PileFiles.Copy(_scratch.At(name), _scratch.At(name = "killed"));
        }
        using Pile pile = Pile.Open(_scratch.At(name), Options(_nextBoot, null));
        Assert.Equal(!isKilled, pile.Recovery.WasPowerCut);
        return name;
    }

    private void Kill(string name, string next)
    {
        PileFiles.Copy(_scratch.At(name), _scratch.At(next));
        _disk.MoveTo(_scratch.At(next));
    }

    private static CacheTable<long, byte[]> TableOf(PileCache cache) => cache.GetOrCreateTable<long, byte[]>(TestCache.Durable());

    private PileCache Open(string name, Guid boot, SimulatedDisk? disk = null) =>
        new(Pile.Open(_scratch.At(name), Options(boot, disk)), CacheOptions with { OwnsPile = true });

    private static PileCacheOptions CacheOptions =>
        new() { SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true, DefaultTableOptions = TestCache.AllDurable };

    private static PileOptions Options(Guid boot, SimulatedDisk? disk) => new() { SegmentBytes = 4 << 20, BootId = boot, FileHook = disk };
}
