using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Sweeps the tables of a cache periodically, a bounded part at a time.</summary>
internal sealed class Sweeper : IDisposable
{
    private const int MostRoundsAtOnce = 16;

    private readonly BackgroundWork _background;
    private readonly CacheClock _clock;
    private readonly Func<TableCore[]> _cores;
    private readonly int _buckets;
    private readonly ITimer? _timer;

    internal Sweeper(BackgroundWork background, PileCacheOptions options, CacheClock clock, Func<TableCore[]> cores)
    {
        _background = background;
        _clock = clock;
        _cores = cores;
        _buckets = options.SweepBuckets;
        if (options.SweepPeriod > TimeSpan.Zero)
            _timer = background.Every(options.TimeProvider, options.SweepPeriod, "the sweep of the tables", SweepAll);
    }

    public void Dispose() => _timer?.Dispose();

    // A failure of one table does not stop the sweep of the others.
    private void SweepAll()
    {
        _clock.Follow();
        foreach (TableCore core in _cores())
            _background.TryRun($"the sweep of the table '{core.Name}'", () => Sweep(core));
    }

    // If one bucket in sixteen freed something, there is more: continue.
    private void Sweep(TableCore core)
    {
        try
        {
            long beganAt = core.Meter.IsTimingSweeps ? Stopwatch.GetTimestamp() : 0;
            int buckets = Math.Min(_buckets, core.BucketsToSweep());
            core.DrainReadBuffer();
            core.EvictSurplus(buckets);
            for (int round = 0; round < MostRoundsAtOnce && core.SweepMemory(buckets) > buckets / 16; round++)
            {
            }
            for (int round = 0; round < MostRoundsAtOnce && core.SweepSpilled(buckets) > buckets / 16; round++)
            {
            }
            if (beganAt != 0)
                core.Meter.RecordSweep(core.Name, Stopwatch.GetElapsedTime(beganAt));
        }
        catch (ObjectDisposedException)
        {
            // The cache was disposed; its pile may stay open.
        }
    }
}
