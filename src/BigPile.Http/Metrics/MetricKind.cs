using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace BigPile.Http.Metrics;

/// <summary>What becomes of an instrument's measurements.</summary>
internal enum MetricKind
{
    /// <summary>They are added up, and only grow.</summary>
    Counter,

    /// <summary>They are added up, and may fall.</summary>
    Sum,

    /// <summary>The last one counts.</summary>
    Last,

    /// <summary>They are counted in buckets.</summary>
    Histogram,
}

/// <summary>Tells the kinds of instruments apart.</summary>
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

    /// <summary>The kind of an instrument, or <see langword="null"/> when it is none that is known.</summary>
    internal static MetricKind? Of(Instrument instrument)
    {
        Type type = instrument.GetType();
        return type.IsGenericType && Known.TryGetValue(type.GetGenericTypeDefinition(), out MetricKind kind) ? kind : null;
    }
}
