using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace BigPile.Http.Metrics;

/// <summary>What the full stack measures on the meter <c>BigPile.Server</c>: its requests by status, and how long they took.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RequestMeter
{
    internal const string MeterName = "BigPile.Server";

    private const string StatusTag = "http.response.status_code";
    private const string MethodTag = "http.request.method";

    private static readonly object[] BoxedStatuses = MakeBoxes();

    private readonly Histogram<double> _duration;

    internal RequestMeter(IMeterFactory factory)
    {
        Meter meter = factory.Create(MeterName);
        meter.CreateObservableCounter("bigpile.server.requests", Observe, "{request}", "Requests that the full stack answered, by status.");
        _duration = meter.CreateHistogram<double>(
            "bigpile.server.request.duration", "s", "From the head of a request to the end of its response, in the full stack.");
    }

    /// <summary>What was answered.</summary>
    internal RequestCounts Counts { get; } = new();

    /// <summary>Whether somebody wants to know how long requests take.</summary>
    internal bool IsTiming => _duration.Enabled;

    /// <summary>Notes how long a request took.</summary>
    internal void NoteDuration(string method, int status, double seconds) => _duration.Record(
        seconds,
        new KeyValuePair<string, object?>(MethodTag, Known(method)),
        new KeyValuePair<string, object?>(StatusTag, status is >= 0 and < 600 ? BoxedStatuses[status] : status));

    private IEnumerable<Measurement<long>> Observe()
    {
        foreach ((int status, long count) in Counts.All())
            yield return new Measurement<long>(count, new KeyValuePair<string, object?>(StatusTag, status));
    }

    // Clients make up methods; each would be a series of its own.
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
