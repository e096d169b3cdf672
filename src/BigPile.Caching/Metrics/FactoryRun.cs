using System;
using System.Diagnostics;
using BigPile.Telemetry;

namespace BigPile.Caching.Metrics;

/// <summary>Measures and traces one run of a factory. Costs nothing without a listener.</summary>
internal readonly struct FactoryRun
{
    private readonly CacheMeter _meter;
    private readonly string _table;
    private readonly long _beganAt; // a Stopwatch time stamp; 0: not measured
    private readonly Activity? _activity;

    private FactoryRun(CacheMeter meter, string table)
    {
        _meter = meter;
        _table = table;
        _beganAt = meter.IsTimingFactories ? Stopwatch.GetTimestamp() : 0;
        _activity = PileActivity.Start(CacheTelemetry.FactoryActivity, CacheTelemetry.TableNameTag, table);
    }

    internal static FactoryRun Begin(CacheMeter meter, string table) => new(meter, table);

    /// <summary>Ends the run, in the execution context that began it.</summary>
    /// <param name="failure">The exception that the factory threw, if any.</param>
    internal void End(Exception? failure = null)
    {
        _activity.Fail(failure);
        _activity?.Dispose();
        if (_beganAt != 0)
            _meter.RecordFactory(_table, Stopwatch.GetElapsedTime(_beganAt), failure);
    }
}
