using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>The values of one instrument for one set of tags.</summary>
/// <remarks>
/// Thread safety: all members may be called concurrently; a reader may see a measurement in its bucket and not yet in the sum.
/// </remarks>
internal sealed class MetricSeries(KeyValuePair<string, object?>[] tags, int bucketCount)
{
    private readonly long[] _buckets = new long[bucketCount];
    private double _value;

    internal ReadOnlySpan<KeyValuePair<string, object?>> Tags => tags;

    /// <summary>The next series with the same hash of tags.</summary>
    internal MetricSeries? Next { get; init; }

    /// <summary>The value; for a histogram the sum of all measurements.</summary>
    internal double Value => Volatile.Read(ref _value);

    internal long BucketAt(int index) => Volatile.Read(ref _buckets[index]);

    internal void Set(double value) => Volatile.Write(ref _value, value);

    internal void Add(double value)
    {
        double was;
        do
        {
            was = Volatile.Read(ref _value);
        }
        while (BitConverter.DoubleToInt64Bits(
            Interlocked.CompareExchange(ref _value, was + value, was)) != BitConverter.DoubleToInt64Bits(was));
    }

    internal void Count(double value, int bucket)
    {
        Interlocked.Increment(ref _buckets[bucket]);
        Add(value);
    }

    /// <summary>Whether the series has exactly these tags, in this order.</summary>
    internal bool Has(ReadOnlySpan<KeyValuePair<string, object?>> others)
    {
        if (others.Length != tags.Length)
            return false;
        for (int i = 0; i < tags.Length; i++)
        {
            if (others[i].Key != tags[i].Key || !Equals(others[i].Value, tags[i].Value))
                return false;
        }
        return true;
    }
}
