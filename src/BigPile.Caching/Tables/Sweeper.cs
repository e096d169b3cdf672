using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Concurrency;
using BigPile.Reporting;

namespace BigPile.Caching.Tables;

/// <summary>Sweeps the tables of a cache periodically, a bounded part at a time.</summary>
internal sealed class Sweeper : IDisposable
{
    private const int MostRoundsAtOnce = 16; // for one table, so that the others get their turn

    private readonly BackgroundWork _background; // reports failures
    private readonly Refusals _refusals; // of the pile, which has no timer
    private readonly CacheClock _clock; // follows the system's clock with each sweep
    private readonly Func<TableEngine[]> _engines; // the tables of this instant
    private readonly int _buckets; // for one table and round
    private readonly ITimer? _timer; // null: only calls sweep

    internal Sweeper(Pile pile, PileCacheOptions options, CacheClock clock, Func<TableEngine[]> engines)
    {
        _background = pile.Tables.Background;
        _refusals = pile.Tables.Refusals;
        Advice = new AdviceLog(pile, options, engines);
        _clock = clock;
        _engines = engines;
        _buckets = options.SweepBuckets;
        if (options.SweepPeriod > TimeSpan.Zero)
            _timer = _background.Every(options.TimeProvider, options.SweepPeriod, "the sweep of the tables", SweepAll);
    }

    /// <summary>The advice on the settings; a sweep logs what is new.</summary>
    internal AdviceLog Advice { get; }

    public void Dispose() => _timer?.Dispose();

    // A failure of one table does not stop the sweep of the others.
    private void SweepAll()
    {
        _clock.Follow();
        TableEngine[] engines = _engines();
        foreach (TableEngine engine in engines)
            _background.TryRun($"the sweep of the table '{engine.Name}'", () => Sweep(engine));
        _refusals.Say();
        Advice.SayNew(engines);
    }

    // If one bucket in sixteen freed something, there is more: continue.
    private void Sweep(TableEngine engine)
    {
        try
        {
            long beganAt = engine.Meter.IsTimingSweeps ? Stopwatch.GetTimestamp() : 0;
            int buckets = Math.Min(_buckets, engine.Sweep.BucketsToSweep);
            // Uses first: an entry that is kept alive by one must not be swept. EntryLiveness.Of asks the buffer, too.
            engine.Touch.Drain();
            engine.Shrink.Evict(buckets);
            for (int round = 0; round < MostRoundsAtOnce && engine.Sweep.Memory(buckets) > buckets / 16; round++)
            {
            }
            for (int round = 0; round < MostRoundsAtOnce && engine.Sweep.Spilled(buckets) > buckets / 16; round++)
            {
            }
            if (beganAt != 0)
                engine.Meter.RecordSweep(engine.Name, Stopwatch.GetElapsedTime(beganAt));
        }
        catch (ObjectDisposedException)
        {
            // The cache was disposed; its pile may stay open.
        }
    }
}
