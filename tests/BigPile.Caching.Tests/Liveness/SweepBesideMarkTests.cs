using System;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Checking;

namespace BigPile.Caching.Tests.Liveness;

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

    // Entries of a bucket that the sweep has passed may be in one that is not counted yet: with the mark gone they would come back.
    [CrashPointFact]
    public void A_round_of_the_sweep_ends_after_a_split_that_is_under_way()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        for (long key = 0; key < 100; key++)
        {
            if ((table.KeyCodec.HashOf(key, stack) & (TableIndex.MinBuckets - 1)) != 0) // the first bucket, which is split, has none
                table.Put(key, "value", new EntryOptions { Tags = ["tag"] });
        }
        table.RemoveByTag("tag");
        using var isBorn = new ManualResetEventSlim();
        using var goesOn = new ManualResetEventSlim();
        using var hook = new CrashPointScope<CrashPoint>(point =>
        {
            if (point != CrashPoint.SplitBeforeCounted)
                return;
            isBorn.Set();
            goesOn.Wait(MaxWait);
        });
        var split = new Thread(() => table.Core.Index.GrowFor(1_000)) { IsBackground = true };
        var sweep = new Thread(() => table.Sweep()) { IsBackground = true };
        split.Start();
        Assert.True(isBorn.Wait(MaxWait));
        sweep.Start();
        Eventually.True(() => (sweep.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0);
        int marks = table.Core.Tags.Count;
        goesOn.Set();
        Assert.True(split.Join(MaxWait) && sweep.Join(MaxWait));
        Assert.Equal(1, marks);
        table.Sweep(); // the round goes on with the new bucket
        Assert.Equal(0, table.Core.Tags.Count);
        table.Core.CheckInvariants();
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
