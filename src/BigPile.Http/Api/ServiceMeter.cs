using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Http.Api;

/// <summary>Sums the counters of the full stack and the fast path.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
/// <param name="requests">The stack's counters; <see langword="null"/>: none.</param>
/// <param name="fastPath">The fast path's counters.</param>
/// <param name="load">The running requests; <see langword="null"/>: not counted.</param>
/// <param name="connections">The connections; <see langword="null"/>: not counted.</param>
internal sealed class ServiceMeter(RequestMeter? requests, FastPathCounters fastPath, RequestLoad? load, ConnectionCount? connections)
{
    internal static ServiceMeter Of(IServiceProvider services) => new(
        services.GetService<RequestMeter>(), services.GetRequiredService<FastPathCounters>(), services.GetService<RequestLoad>(),
        services.GetService<ConnectionCount>());

    /// <summary>The current sums; <see langword="null"/> if the stack's answers are not counted, since the sums would be wrong.</summary>
    internal ServiceReport? Sample() => requests == null
        ? null
        : new ServiceReport(connections?.Open, connections?.Rejected, load?.Running, load?.Limit, [.. Statuses(requests)]);

    private IEnumerable<StatusReport> Statuses(RequestMeter stack) =>
        stack.Counts.All().Concat(fastPath.Statuses())
            .GroupBy(static answers => answers.Status, static answers => answers.Count)
            .Select(static answers => new StatusReport(answers.Key, answers.Sum()))
            .Where(static answers => answers.Count != 0)
            .OrderBy(static answers => answers.Status);
}

/// <summary>The connections and the responses of the service.</summary>
/// <param name="Connections">Open connections; omitted if not counted.</param>
/// <param name="RejectedConnections">Connections rejected at the limit since the start; omitted likewise.</param>
/// <param name="RequestsRunning">Running requests, and fast-path connections that are answering; omitted without a limit.</param>
/// <param name="RequestLimit">Their limit; omitted likewise.</param>
/// <param name="Statuses">Responses since the start, by ascending status.</param>
internal sealed record ServiceReport(
    long? Connections, long? RejectedConnections, int? RequestsRunning, int? RequestLimit, IReadOnlyList<StatusReport> Statuses);

/// <summary>Responses of one status.</summary>
/// <param name="Status">The status.</param>
/// <param name="Count">Their number since the start.</param>
internal sealed record StatusReport(int Status, long Count);
