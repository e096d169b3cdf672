using System;
using System.Threading;

namespace BigPile.Caching.Tests;

/// <summary>A sweep that goes round while a removal is between its version and its mark.</summary>
public sealed class SweepBesideMarkTests : IDisposable
{
    private static readonly TimeSpan MaxWait = Eventually.Timeout;

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private readonly PileOptions _options;
    private Thread? _sweep;
    private CacheTable<long, string>? _swept;

    public SweepBesideMarkTests() => _options = new PileOptions { SegmentBytes = 4 << 20, Synced = _ => SweepOnce() };

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void What_was_removed_by_tag_beside_a_sweep_stays_removed()
    {
        using var pile = Pile.Open(_directory.Path, _options);
        using var cache = new PileCache(pile, new PileCacheOptions { TimeProvider = _time, SweepPeriod = TimeSpan.Zero });
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        for (long key = 0; key < 100; key++)
            table.Put(key, "value", new EntryOptions { Tags = ["tag"] });
        _time.Advance(TimeSpan.FromHours(1)); // beyond the reserved versions: the next is written to the file, which calls here
        _swept = table;
        table.RemoveByTag("tag");
        Assert.NotNull(_sweep);
        Assert.True(_sweep.Join(MaxWait));
        Assert.Empty(table.Keys);
        table.Sweep();
        Assert.Empty(table.Keys);
    }

    [Fact]
    public void A_sweep_takes_the_mark_of_a_cleared_table_only_with_its_entries()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        for (long key = 0; key < 100; key++)
            table.Put(key, "value");
        _ = table.Core.TagRemoval.TryMarkAll(out _); // a clearing that was interrupted, or is on its way
        table.Sweep();
        Assert.Equal((0, 0), (table.Core.Tags.Count, cache.Pile.Statistics.ObjectCount));
    }

    // The removal has its version, and its mark does not count: the sweep goes through all buckets, and waits for the marks.
    private void SweepOnce()
    {
        if (Interlocked.Exchange(ref _swept, null) is not { } table)
            return;
        _sweep = new Thread(() => table.Sweep()) { IsBackground = true };
        _sweep.Start();
        Eventually.True(() => (_sweep.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0);
    }
}
