using System;
using System.Threading;
using BigPile.Caching.Metrics;

namespace BigPile.Caching;

/// <summary>Sweeps the tables of a cache from time to time, a bounded part at once.</summary>
internal sealed class Sweeper : IDisposable
{
    private const int MostRoundsAtOnce = 16;

    private readonly Func<TableCore[]> _cores;
    private readonly int _buckets;
    private readonly ITimer? _timer;
    private int _isRunning;

    internal Sweeper(PileCacheOptions options, Func<TableCore[]> cores)
    {
        _cores = cores;
        _buckets = options.SweepBuckets;
        if (options.SweepPeriod > TimeSpan.Zero)
            _timer = options.TimeProvider.CreateTimer(static sweeper => ((Sweeper)sweeper!).SweepAll(), this, options.SweepPeriod, options.SweepPeriod);
    }

    public void Dispose() => _timer?.Dispose();

    private void SweepAll()
    {
        if (Interlocked.Exchange(ref _isRunning, 1) != 0)
            return;
        try
        {
            foreach (TableCore core in _cores())
                Sweep(core);
        }
        catch (ObjectDisposedException)
        {
            // The cache goes.
        }
        finally
        {
            Volatile.Write(ref _isRunning, 0);
        }
    }

    // Where one bucket in sixteen gave something back, there will be more.
    private void Sweep(TableCore core)
    {
        long began = CacheDurations.BeginSweep();
        int buckets = Math.Min(_buckets, core.BucketsToSweep);
        for (int round = 0; round < MostRoundsAtOnce && core.Sweep(buckets) > buckets / 16; round++)
        {
        }
        CacheDurations.EndSweep(core.Name, began);
    }
}
