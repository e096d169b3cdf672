using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace BigPile.Caching.Metrics;

/// <summary>The histograms of all caches of the process, on the meter <c>BigPile</c>, with the table's name as a tag.</summary>
/// <remarks>
/// Each is looked at before anything is measured: without a listener an operation pays one comparison.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal static class CacheDurations
{
    private const string NameTag = "bigpile.cache.name";
    private const string ErrorTag = "error.type";

    private static readonly Meter Meter = new(CacheMeter.MeterName);

    private static readonly Histogram<double> Factory =
        Meter.CreateHistogram<double>("bigpile.cache.factory.duration", "s", "How long it took to make values that were missing.");

    private static readonly Histogram<double> SweepDuration =
        Meter.CreateHistogram<double>("bigpile.sweep.duration", "s", "How long one sweep of a table for what has expired took.");

    private static readonly Histogram<long> Payload =
        Meter.CreateHistogram<long>("bigpile.payload.size", "By", "Bytes of values that were put, as they are stored.");

    /// <summary>The instant at which a factory begins; 0 when nobody wants to know.</summary>
    internal static long BeginFactory() => Factory.Enabled ? Stopwatch.GetTimestamp() : 0;

    /// <summary>The instant at which a sweep begins; 0 when nobody wants to know.</summary>
    internal static long BeginSweep() => SweepDuration.Enabled ? Stopwatch.GetTimestamp() : 0;

    internal static void EndFactory(string table, long began, Exception? failure)
    {
        if (began == 0)
            return;
        double seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        var name = new KeyValuePair<string, object?>(NameTag, table);
        if (failure == null)
            Factory.Record(seconds, name);
        else
            Factory.Record(seconds, name, new KeyValuePair<string, object?>(ErrorTag, failure.GetType().FullName));
    }

    internal static void EndSweep(string table, long began)
    {
        if (began != 0)
            SweepDuration.Record(Stopwatch.GetElapsedTime(began).TotalSeconds, new KeyValuePair<string, object?>(NameTag, table));
    }

    internal static void NotePayload(string table, int lengthBytes)
    {
        if (Payload.Enabled)
            Payload.Record(lengthBytes, new KeyValuePair<string, object?>(NameTag, table));
    }
}
