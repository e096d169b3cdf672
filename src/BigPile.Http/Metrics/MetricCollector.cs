using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace BigPile.Http.Metrics;

/// <summary>Listens to meters, and aggregates their measurements until they are collected.</summary>
/// <remarks>Thread safety: all members may be called concurrently; collections run one at a time.</remarks>
internal sealed class MetricCollector : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly FrozenSet<string> _meters;
    private readonly IMeterFactory _factory;
    private readonly ILogger<MetricCollector> _logger;
    /// <summary>Held during a collection.</summary>
    private readonly Lock _collecting = new();
    /// <summary>Guards <see cref="_metrics"/>.</summary>
    private readonly Lock _changing = new();
    private readonly List<Metric> _metrics = [];
    private readonly LiveTables _tables = new();

    /// <summary>Starts listening.</summary>
    /// <param name="meters">The names of the meters.</param>
    /// <param name="factory">The application's meter factory; meters of other applications with the same names are ignored.</param>
    /// <param name="logger">Logs instruments that fail.</param>
    internal MetricCollector(IEnumerable<string> meters, IMeterFactory factory, ILogger<MetricCollector> logger)
    {
        _meters = meters.ToFrozenSet(StringComparer.Ordinal);
        _factory = factory;
        _logger = logger;
        _listener.InstrumentPublished = OnInstrumentPublished;
        _listener.MeasurementsCompleted = (_, state) => Forget(state);
        _listener.SetMeasurementEventCallback<byte>(static (_, value, tags, state) => Record(state, value, tags));
        _listener.SetMeasurementEventCallback<short>(static (_, value, tags, state) => Record(state, value, tags));
        _listener.SetMeasurementEventCallback<int>(static (_, value, tags, state) => Record(state, value, tags));
        _listener.SetMeasurementEventCallback<long>(static (_, value, tags, state) => Record(state, value, tags));
        _listener.SetMeasurementEventCallback<float>(static (_, value, tags, state) => Record(state, value, tags));
        _listener.SetMeasurementEventCallback<double>(static (_, value, tags, state) => Record(state, value, tags));
        _listener.SetMeasurementEventCallback<decimal>(static (_, value, tags, state) => Record(state, (double)value, tags));
        _listener.Start();
    }

    /// <summary>Writes the current values in Prometheus text format.</summary>
    internal string Collect()
    {
        lock (_collecting)
        {
            Metric[] metrics = Snapshot();
            foreach (Metric metric in metrics)
            {
                if (metric.Instrument.IsObservable)
                    metric.Clear();
            }
            _tables.Clear();
            // Only series that exist before the observation: a later one may belong to a table that has not been observed yet.
            (Metric Metric, MetricSeries[] Series)[] known =
                [.. metrics.Where(IsOfTables).Select(static metric => (metric, metric.Series.ToArray()))];
            if (TryObserve())
            {
                foreach ((Metric metric, MetricSeries[] series) in known)
                    metric.Forget([.. series.Where(_tables.Lacks)]);
            }
            return PrometheusText.Write(metrics);
        }
    }

    public void Dispose() => _listener.Dispose();

    // An exception of one instrument must not hide the others.
    private bool TryObserve()
    {
        try
        {
            _listener.RecordObservableInstruments();
            return true;
        }
        catch (AggregateException e)
        {
            _logger.LogWarning(e, "Some instruments could not be read");
            return false;
        }
    }

    private static bool IsOfTables(Metric metric) =>
        !metric.Instrument.IsObservable && metric.Instrument.Meter.Name == PileTelemetry.MeterName;

    private void OnInstrumentPublished(Instrument instrument, MeterListener listener)
    {
        bool isOfOtherFactory = instrument.Meter.Scope is IMeterFactory factory && factory != _factory;
        if (isOfOtherFactory || !_meters.Contains(instrument.Meter.Name) || MetricKinds.Of(instrument) is not { } kind)
            return;
        var metric =
            new Metric(instrument, kind, instrument.IsObservable && instrument.Meter.Name == PileTelemetry.MeterName ? _tables : null);
        lock (_changing)
            _metrics.Add(metric);
        listener.EnableMeasurementEvents(instrument, metric);
    }

    private void Forget(object? metric)
    {
        lock (_changing)
            _metrics.Remove((Metric)metric!);
    }

    private Metric[] Snapshot()
    {
        lock (_changing)
            return [.. _metrics];
    }

    private static void Record(object? metric, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        ((Metric)metric!).Record(value, tags);
}
