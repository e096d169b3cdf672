using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Http.Api;

/// <summary>Adds up what the full stack and the fast door count.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
/// <param name="requests">Counts the stack's answers; <see langword="null"/>: nobody does.</param>
/// <param name="fastPath">Counts those of the door.</param>
/// <param name="load">Counts the requests that run; <see langword="null"/>: nobody does.</param>
/// <param name="connections">Counts connections; <see langword="null"/>: nobody does.</param>
internal sealed class ServiceMeter(RequestMeter? requests, FastPathCounters fastPath, RequestLoad? load, ConnectionCount? connections)
{
    internal static ServiceMeter Of(IServiceProvider services) => new(
        services.GetService<RequestMeter>(), services.GetRequiredService<FastPathCounters>(), services.GetService<RequestLoad>(),
        services.GetService<ConnectionCount>());

    /// <summary>What there is now; <see langword="null"/> where the stack's answers are not counted, and the sums would be wrong.</summary>
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
