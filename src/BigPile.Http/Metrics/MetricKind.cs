using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace BigPile.Http.Metrics;

/// <summary>How the measurements of an instrument are aggregated.</summary>
internal enum MetricKind
{
    /// <summary>Summed; only grows.</summary>
    Counter,

    /// <summary>Summed; may fall.</summary>
    Sum,

    /// <summary>The last value.</summary>
    Last,

    /// <summary>Counted in buckets.</summary>
    Histogram,
}

/// <summary>Finds the kind of an instrument.</summary>
internal static class MetricKinds
{
    private static readonly Dictionary<Type, MetricKind> Known = new()
    {
        [typeof(Counter<>)] = MetricKind.Counter,
        [typeof(ObservableCounter<>)] = MetricKind.Counter,
        [typeof(UpDownCounter<>)] = MetricKind.Sum,
        [typeof(ObservableUpDownCounter<>)] = MetricKind.Sum,
        [typeof(Gauge<>)] = MetricKind.Last,
        [typeof(ObservableGauge<>)] = MetricKind.Last,
        [typeof(Histogram<>)] = MetricKind.Histogram,
    };

    /// <summary>The kind of an instrument, or <see langword="null"/> if it is unknown.</summary>
    internal static MetricKind? Of(Instrument instrument)
    {
        Type type = instrument.GetType();
        return type.IsGenericType && Known.TryGetValue(type.GetGenericTypeDefinition(), out MetricKind kind) ? kind : null;
    }
}
