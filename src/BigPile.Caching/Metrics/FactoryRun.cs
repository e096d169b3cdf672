using System;
using System.Diagnostics;
using BigPile.Telemetry;

namespace BigPile.Caching.Metrics;

/// <summary>One run of a factory, as metrics and traces see it; nothing while nobody listens.</summary>
internal readonly struct FactoryRun
{
    private readonly CacheMeter _meter;
    private readonly string _table;
    private readonly long _beganAt;
    private readonly Activity? _activity;

    private FactoryRun(CacheMeter meter, string table)
    {
        _meter = meter;
        _table = table;
        _beganAt = meter.IsTimingFactories ? Stopwatch.GetTimestamp() : 0;
        _activity = PileActivity.Start(CacheTelemetry.FactoryActivity, CacheTelemetry.TableNameTag, table);
    }

    internal static FactoryRun Begin(CacheMeter meter, string table) => new(meter, table);

    /// <summary>Ends it, on the flow of execution that began it.</summary>
    /// <param name="failure">What the factory threw, if it did.</param>
    internal void End(Exception? failure = null)
    {
        _activity.Fail(failure);
        _activity?.Dispose();
        if (_beganAt != 0)
            _meter.RecordFactory(_table, Stopwatch.GetElapsedTime(_beganAt), failure);
    }
}
