using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace BigPile.AspNetCore.Metrics;

/// <summary>What an instrument measured, by its tags.</summary>
/// <remarks>A measurement makes no object once its tags are known. Thread safety: all members may be called concurrently.</remarks>
internal sealed class Metric
{
    /// <summary>The most sets of tags of an instrument; further ones are counted together.</summary>
    internal const int MaxSeries = 2_000;

    private static readonly KeyValuePair<string, object?>[] Overflow = [new("otel.metric.overflow", "true")];

    private readonly Lock _adding = new();
    private volatile MetricSeries[] _series = [];

    internal Metric(Instrument instrument, MetricKind kind)
    {
        Instrument = instrument;
        Kind = kind;
        Bounds = kind == MetricKind.Histogram ? MetricBuckets.Of(instrument) : [];
    }

    internal Instrument Instrument { get; }

    internal MetricKind Kind { get; }

    /// <summary>The upper bounds of the buckets, without the last one, which has none.</summary>
    internal double[] Bounds { get; }

    internal IReadOnlyList<MetricSeries> Series => _series;

    /// <summary>Takes up a measurement.</summary>
    internal void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        MetricSeries series = Find(tags) ?? Make(tags);
        if (Kind == MetricKind.Histogram)
            series.Count(value, BucketOf(value));
        else if (Kind == MetricKind.Last)
            series.Set(value);
        else
            series.Add(value);
    }

    /// <summary>Forgets all that was observed: what there is no more must not be shown again.</summary>
    internal void Clear() => _series = [];

    private MetricSeries? Find(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        foreach (MetricSeries series in _series)
        {
            if (series.Has(tags))
                return series;
        }
        return null;
    }

    private MetricSeries Make(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        lock (_adding)
        {
            if (_series.Length >= MaxSeries)
                tags = Overflow;
            if (Find(tags) is { } other)
                return other;
            var made = new MetricSeries(tags.ToArray(), Kind == MetricKind.Histogram ? Bounds.Length + 1 : 0);
            _series = [.. _series, made];
            return made;
        }
    }

    private int BucketOf(double value)
    {
        int bucket = 0;
        while (bucket < Bounds.Length && value > Bounds[bucket])
            bucket++;
        return bucket;
    }
}
