using System;

namespace BigPile.Caching.Tests.Durability;

/// <summary>What is removed after a power cut, while pages still have traces of it, stays removed after a kill.</summary>
public sealed class RemovedAfterCutTests : IDisposable
{
    private readonly ScratchDirectory _scratch = new();
    private readonly ManualTime _time = new();

    public void Dispose() => _scratch.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void By_a_tag(int kills) => Check(kills, static table => table.RemoveByTag("tag"));

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void All_at_once(int kills) => Check(kills, static table => table.Clear());

    private void Check(int kills, Action<CacheTable<long, byte[]>> remove)
    {
        using (PileCache first = Open("life0", Guid.NewGuid()))
        {
            CacheTable<long, byte[]> table = TableOf(first);
            for (long key = 0; key < 50; key++)
                table.PutBytes(key, [(byte)key], new EntryOptions { Tags = ["tag"] }, out _);
            first.Pile.Flush();
            KilledPile.Copy(_scratch.At("life0"), _scratch.At("life1"));
        }
        var boot = Guid.NewGuid(); // another one: the power was cut
        using (PileCache cut = Open("life1", boot))
        {
            Assert.True(cut.Pile.Recovery.WasPowerCut);
            Assert.Equal(50, TableOf(cut).Count);
            remove(TableOf(cut));
            KilledPile.Copy(_scratch.At("life1"), _scratch.At("killed1"));
        }
        for (int kill = 1; kill <= kills; kill++)
        {
            using PileCache killed = Open($"killed{kill}", boot);
            Assert.False(killed.Pile.Recovery.WasPowerCut);
            Assert.Empty(TableOf(killed).Keys);
            KilledPile.Copy(_scratch.At($"killed{kill}"), _scratch.At($"killed{kill + 1}"));
        }
    }

    private static CacheTable<long, byte[]> TableOf(PileCache cache) => cache.GetOrCreateTable<long, byte[]>(TestCache.Durable("t"));

    // Nothing inspects by itself, so the traces stay until the end.
    private PileCache Open(string name, Guid boot)
    {
        Pile pile = Pile.Open(_scratch.At(name), new PileOptions { SegmentBytes = 4 << 20, BootId = boot, WarmupBytesPerSecond = 1 });
        pile.Recovery.Pause();
        return new PileCache(
            pile, new PileCacheOptions { OwnsPile = true, TimeProvider = _time, SweepPeriod = TimeSpan.Zero, WaitsUntilReady = true });
    }
}
