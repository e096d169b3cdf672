using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>What an instrument measured, by its tags.</summary>
/// <remarks>A measurement makes no object once its tags are known. Thread safety: all members may be called concurrently.</remarks>
internal sealed class Metric
{
    /// <summary>The most sets of tags of an instrument; further ones are counted together.</summary>
    internal const int MaxSeries = 2_000;

    private static readonly KeyValuePair<string, object?>[] Overflow = [new("otel.metric.overflow", "true")];

    private readonly Lock _adding = new();
    private volatile ConcurrentDictionary<int, MetricSeries> _byHash = new();
    private readonly LiveTables? _tables;
    private int _count;

    /// <param name="instrument">What measures.</param>
    /// <param name="kind">What becomes of its measurements.</param>
    /// <param name="tables">Hears of the tables that it observes; <see langword="null"/>: it observes none.</param>
    internal Metric(Instrument instrument, MetricKind kind, LiveTables? tables = null)
    {
        Instrument = instrument;
        _tables = tables;
        Kind = kind;
        BucketBoundaries = kind == MetricKind.Histogram ? MetricBuckets.Of(instrument) : [];
    }

    internal Instrument Instrument { get; }

    internal MetricKind Kind { get; }

    /// <summary>The upper bounds of the buckets, without the last one, which has none.</summary>
    internal double[] BucketBoundaries { get; }

    internal IReadOnlyList<MetricSeries> Series => [.. _byHash.Values.SelectMany(Chain)];

    /// <summary>Takes up a measurement.</summary>
    internal void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        _tables?.Add(tags);
        int hash = HashOf(tags);
        MetricSeries series = Find(hash, tags) ?? Make(hash, tags);
        if (Kind == MetricKind.Histogram)
            series.Count(value, BucketOf(value));
        else if (Kind == MetricKind.Last)
            series.Set(value);
        else
            series.Add(value);
    }

    /// <summary>Forgets all that was observed: what there is no more must not be shown again.</summary>
    internal void Clear()
    {
        lock (_adding)
        {
            _byHash = new ConcurrentDictionary<int, MetricSeries>();
            _count = 0;
        }
    }

    /// <summary>Forgets series, and gives their room to others. What is measured of one meanwhile may be lost.</summary>
    internal void Forget(IReadOnlyCollection<MetricSeries> gone)
    {
        if (gone.Count == 0)
            return;
        var all = gone.ToHashSet();
        lock (_adding)
        {
            foreach ((int hash, MetricSeries first) in _byHash)
            {
                // A series knows the next one of its hash, and stays until all of them can go.
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
