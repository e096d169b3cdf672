using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;

namespace BigPile.Http.Metrics;

/// <summary>The counters of the fast path, over all connections.</summary>
/// <remarks>
/// Kestrel's meters see fast-path connections but not their requests. Each connection keeps a <see cref="FastPathTally"/> and adds it here
/// once per flush. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class FastPathCounters
{
    private long _found;
    private long _notModified;
    private long _notFound;
    private long _timeouts;
    private long _handedOver;
    private long _returned;

    internal FastPathCounters(IMeterFactory? meters)
    {
        Meter? meter = meters?.Create(PileTelemetry.ServerMeterName);
        meter?.CreateObservableCounter(
            HttpTelemetry.DoorRequests, Requests, "{request}", "Requests that the fast path answered, by status.");
        meter?.CreateObservableCounter(
            HttpTelemetry.DoorHandOvers, () => HandedOver, "{request}", "Requests that the fast path handed over to the full stack.");
        meter?.CreateObservableCounter(
            HttpTelemetry.DoorReturns, () => Returned, "{connection}",
            "Connections that returned to the fast path after a request of the full stack.");
    }

    /// <summary>Answers with 200.</summary>
    internal long Found => Volatile.Read(ref _found);

    /// <summary>Answers with 304.</summary>
    internal long NotModified => Volatile.Read(ref _notModified);

    /// <summary>Answers with 404.</summary>
    internal long NotFound => Volatile.Read(ref _notFound);

    /// <summary>Heads that timed out, answered with 408.</summary>
    internal long Timeouts => Volatile.Read(ref _timeouts);

    /// <summary>
    /// Requests handed over to the full stack. After one with an unknown end, the connection's requests are no longer counted.
    /// </summary>
    internal long HandedOver => Volatile.Read(ref _handedOver);

    /// <summary>Connections that returned from the full stack.</summary>
    internal long Returned => Volatile.Read(ref _returned);

    /// <summary>All answered requests; tests use it to tell which stack answered.</summary>
    internal long Answered => Found + NotModified + NotFound;

    internal void Add(ref FastPathTally tally)
    {
        if (tally.Found != 0)
            Interlocked.Add(ref _found, tally.Found);
        if (tally.NotModified != 0)
            Interlocked.Add(ref _notModified, tally.NotModified);
        if (tally.NotFound != 0)
            Interlocked.Add(ref _notFound, tally.NotFound);
        tally = default;
    }

    internal void CountTimeout() => Interlocked.Increment(ref _timeouts);

    internal void CountHandOver() => Interlocked.Increment(ref _handedOver);

    internal void CountReturn() => Interlocked.Increment(ref _returned);

    internal (int Status, long Count)[] Statuses() => [(200, Found), (304, NotModified), (404, NotFound), (408, Timeouts)];

    private IEnumerable<Measurement<long>> Requests() => Statuses().Select(static answers => Measure(answers.Count, answers.Status));

    private static Measurement<long> Measure(long count, int status) =>
        new(count, new KeyValuePair<string, object?>("http.response.status_code", status));
}

/// <summary>What one connection has answered since it last added to the counters.</summary>
internal struct FastPathTally
{
    internal int Found;
    internal int NotModified;
    internal int NotFound;

    /// <summary>The status of the single answer that was counted since an earlier state.</summary>
    internal readonly int StatusSince(in FastPathTally earlier)
    {
        if (Found != earlier.Found)
            return 200;
        return NotModified != earlier.NotModified ? 304 : 404;
    }
}
