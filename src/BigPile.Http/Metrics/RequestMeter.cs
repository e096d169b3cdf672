using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>The full stack's instruments on the meter <c>BigPile.Server</c>: requests by status, their duration, and refusals.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RequestMeter
{
    private const string StatusTag = "http.response.status_code";
    private const string MethodTag = "http.request.method";

    private static readonly object[] BoxedStatuses = MakeBoxes();

    private readonly Histogram<double> _duration;
    private readonly Counter<long> _refusals;

    internal RequestMeter(IMeterFactory factory)
    {
        Meter meter = factory.Create(PileTelemetry.ServerMeterName);
        meter.CreateObservableCounter(HttpTelemetry.Requests, Observe, "{request}", "Requests that the full stack answered, by status.");
        _duration = meter.CreateHistogram(
            HttpTelemetry.RequestDuration, "s", "From the head of a request to the end of its response, in the full stack.",
            advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = MetricBuckets.Seconds });
        _refusals = meter.CreateCounter<long>(
            HttpTelemetry.Refusals, "{request}", "Requests that their key, or the lack of one, had refused, by key and status.");
    }

    internal RequestCounts Counts { get; } = new();

    /// <summary>Whether a listener wants request durations.</summary>
    internal bool IsTiming => _duration.Enabled;

    internal void RecordDuration(string method, int status, double seconds) => _duration.Record(
        seconds,
        new KeyValuePair<string, object?>(MethodTag, Known(method)),
        new KeyValuePair<string, object?>(StatusTag, status is >= 0 and < 600 ? BoxedStatuses[status] : status));

    /// <summary>Counts a request that was refused.</summary>
    /// <param name="key">The name of an existing key; <see langword="null"/>: the request named none.</param>
    /// <param name="status">The response status.</param>
    internal void CountRefusal(string? key, int status) => _refusals.Add(
        1, new KeyValuePair<string, object?>(HttpTelemetry.KeyTag, key ?? ""), new KeyValuePair<string, object?>(StatusTag, status));

    private IEnumerable<Measurement<long>> Observe()
    {
        foreach ((int status, long count) in Counts.All())
            yield return new Measurement<long>(count, new KeyValuePair<string, object?>(StatusTag, status));
    }

    // Clients invent methods, each of which would be a series of its own.
    private static string Known(string method) => method switch
    {
        "GET" or "HEAD" or "PUT" or "POST" or "DELETE" or "PATCH" or "OPTIONS" => method,
        _ => "_OTHER",
    };

    private static object[] MakeBoxes()
    {
        var boxes = new object[600];
        for (int i = 0; i < boxes.Length; i++)
            boxes[i] = i;
        return boxes;
    }
}

/// <summary>Counts responses by status.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RequestCounts
{
    private const int Lowest = 100;
    private const int Highest = 599;

    private readonly long[] _counts = new long[Highest - Lowest + 1];

    /// <summary>Counts a response.</summary>
    /// <param name="status">The status; one outside 100 to 599 counts as 599.</param>
    internal void Add(int status) => Interlocked.Increment(ref _counts[(status is < Lowest or > Highest ? Highest : status) - Lowest]);

    /// <summary>The statuses with at least one response.</summary>
    internal IEnumerable<(int Status, long Count)> All()
    {
        for (int i = 0; i < _counts.Length; i++)
        {
            long count = Volatile.Read(ref _counts[i]);
            if (count != 0)
                yield return (i + Lowest, count);
        }
    }
}
