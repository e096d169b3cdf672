using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace BigPile.AspNetCore.Metrics;

/// <summary>The meter <c>BigPile.Server</c>: requests by door and status, and how long those of the full stack took.</summary>
/// <remarks>
/// The fast door adds what it answered to <see cref="Door"/>, in batches if it likes. Thread safety: all members may be called
/// concurrently.
/// </remarks>
internal sealed class RequestMeter
{
    internal const string MeterName = "BigPile.Server";

    private const string DoorTag = "bigpile.server.door";
    private const string StatusTag = "http.response.status_code";
    private const string MethodTag = "http.request.method";

    private static readonly object[] BoxedStatuses = MakeBoxes();

    private readonly Histogram<double> _duration;

    internal RequestMeter(IMeterFactory factory)
    {
        Meter meter = factory.Create(MeterName);
        meter.CreateObservableCounter("bigpile.server.requests", Observe, "{request}", "Requests answered, by door and status.");
        _duration = meter.CreateHistogram<double>(
            "bigpile.server.request.duration", "s", "From the head of a request to the end of its response, in the full stack.");
    }

    /// <summary>What the full stack answered.</summary>
    internal RequestCounts Stack { get; } = new();

    /// <summary>What the fast door answered.</summary>
    internal RequestCounts Door { get; } = new();

    /// <summary>Whether somebody wants to know how long requests take.</summary>
    internal bool IsTiming => _duration.Enabled;

    /// <summary>Notes how long a request took.</summary>
    internal void NoteDuration(string method, int status, double seconds) => _duration.Record(
        seconds,
        new KeyValuePair<string, object?>(MethodTag, Known(method)),
        new KeyValuePair<string, object?>(StatusTag, status is >= 0 and < 600 ? BoxedStatuses[status] : status));

    private IEnumerable<Measurement<long>> Observe()
    {
        foreach ((int status, long count) in Stack.All())
            yield return Of("stack", status, count);
        foreach ((int status, long count) in Door.All())
            yield return Of("fast", status, count);
    }

    private static Measurement<long> Of(string door, int status, long count) =>
        new(count, new KeyValuePair<string, object?>(DoorTag, door), new KeyValuePair<string, object?>(StatusTag, status));

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
