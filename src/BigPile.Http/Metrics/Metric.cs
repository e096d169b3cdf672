using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>The measurements of one instrument, a series for each set of tags.</summary>
/// <remarks>A measurement allocates nothing once its tags are known. Thread safety: all members may be called concurrently.</remarks>
/// <param name="instrument">The instrument.</param>
/// <param name="kind">How its measurements are aggregated.</param>
/// <param name="tables">Collects the tables that the instrument observes; <see langword="null"/>: it observes none.</param>
internal sealed class Metric(Instrument instrument, MetricKind kind, LiveTables? tables = null)
{
    /// <summary>The maximum number of series; further sets of tags share one overflow series.</summary>
    internal const int MaxSeries = 2_000;

    private static readonly KeyValuePair<string, object?>[] Overflow = [new("otel.metric.overflow", "true")];

    /// <summary>Guards changes of <see cref="_byHash"/> and <see cref="_count"/>; readers take no lock.</summary>
    private readonly Lock _adding = new();
    /// <summary>The first series of each hash of tags; series of equal hash are chained.</summary>
    private volatile ConcurrentDictionary<int, MetricSeries> _byHash = new();
    private int _count;

    internal Instrument Instrument { get; } = instrument;

    internal MetricKind Kind { get; } = kind;

    /// <summary>The inclusive upper limits of the histogram's buckets; the last bucket has none.</summary>
    internal double[] BucketBoundaries { get; } = kind == MetricKind.Histogram ? MetricBuckets.Of(instrument) : [];

    internal IReadOnlyList<MetricSeries> Series => [.. _byHash.Values.SelectMany(Chain)];

    internal void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        tables?.Add(tags);
        int hash = HashOf(tags);
        MetricSeries series = Find(hash, tags) ?? Make(hash, tags);
        if (Kind == MetricKind.Histogram)
            series.Count(value, BucketOf(value));
        else if (Kind == MetricKind.Last)
            series.Set(value);
        else
            series.Add(value);
    }

    /// <summary>Removes all series: an observable instrument reports afresh only what still exists.</summary>
    internal void Clear()
    {
        lock (_adding)
        {
            _byHash = new ConcurrentDictionary<int, MetricSeries>();
            _count = 0;
        }
    }

    /// <summary>Removes series, so that others can take their place under the limit. A concurrent measurement of one may be lost.</summary>
    internal void Forget(IReadOnlyCollection<MetricSeries> gone)
    {
        if (gone.Count == 0)
            return;
        var all = gone.ToHashSet();
        lock (_adding)
        {
            foreach ((int hash, MetricSeries first) in _byHash)
            {
                // Series of one hash are chained, so a chain is removed only as a whole.
                int count = Chain(first).Count();
                if (Chain(first).All(all.Contains) && _byHash.TryRemove(hash, out _))
                    _count -= count;
            }
        }
    }

    private MetricSeries? Find(int hash, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        MetricSeries? series = _byHash.GetValueOrDefault(hash);
        while (series != null && !series.Has(tags))
            series = series.Next;
        return series;
    }

    private MetricSeries Make(int hash, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        lock (_adding)
        {
            if (_count >= MaxSeries)
            {
                // OpenTelemetry's attribute for measurements beyond the cardinality limit.
                tags = Overflow;
                hash = HashOf(tags);
            }
            if (Find(hash, tags) is { } other)
                return other;
            var made = new MetricSeries(
                tags.ToArray(), Kind == MetricKind.Histogram ? BucketBoundaries.Length + 1 : 0) { Next = _byHash.GetValueOrDefault(hash) };
            _byHash[hash] = made;
            _count++;
            return made;
        }
    }

    private static int HashOf(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var hash = default(HashCode);
        foreach ((string name, object? value) in tags)
        {
            hash.Add(name);
            hash.Add(value);
        }
        return hash.ToHashCode();
    }

    private static IEnumerable<MetricSeries> Chain(MetricSeries first)
    {
        for (MetricSeries? series = first; series != null; series = series.Next)
            yield return series;
    }

    private int BucketOf(double value)
    {
        int bucket = 0;
        while (bucket < BucketBoundaries.Length && value > BucketBoundaries[bucket])
            bucket++;
        return bucket;
    }
}
