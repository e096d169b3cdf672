using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace BigPile.AspNetCore.Health;

/// <summary>Healthy when the pile is open and its tables know every entry; degraded while that is being brought about.</summary>
internal sealed class PileHealthCheck(PileHost host) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check(context.Registration.FailureStatus));

    private HealthCheckResult Check(HealthStatus failure) => host.State switch
    {
        PileState.Opening => HealthCheckResult.Degraded("The pile is opening, and its tables are being found again.", data: DataOf(null)),
        PileState.Preparing => HealthCheckResult.Degraded("The pile is open, and the application prepares it.", data: DataOf(null)),
        PileState.Ready when host.Tables is { } tables => Check(tables.Cache, failure),
        PileState.Failed => new HealthCheckResult(failure, "The pile can't be opened.", host.Failure, DataOf(null)),
        _ => new HealthCheckResult(failure, "The pile is closed.", data: DataOf(null)),
    };

    private HealthCheckResult Check(PileCache cache, HealthStatus failure)
    {
        CacheReadiness readiness = cache.Readiness;
        if (readiness.IsReady)
            return HealthCheckResult.Healthy("The pile is open.", DataOf(cache));
        if (readiness.Completion.Exception is { } error)
            return new HealthCheckResult(failure, "The tables' entries can't all be found.", error.InnerException, DataOf(cache));
        return HealthCheckResult.Degraded("The tables answer, and their index is being rebuilt.", data: DataOf(cache));
    }

    private Dictionary<string, object> DataOf(PileCache? cache)
    {
        var data = new Dictionary<string, object>(StringComparer.Ordinal) { ["state"] = host.State.ToString() };
        if (cache == null)
            return data;
        data["tables"] = cache.TableNames.Count;
        data["progress"] = cache.Readiness.Progress;
        data["entriesFound"] = cache.Readiness.EntriesFound;
        return data;
    }
}
