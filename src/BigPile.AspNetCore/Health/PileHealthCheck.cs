using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace BigPile.AspNetCore.Health;

/// <summary>
/// Healthy when the pile is open and all table entries are found. Degraded while it opens or rebuilds indexes; after a failed flush
/// (including one whose log found no disk space) until a flush succeeds; and for a minute after it refused a put as it was full.
/// </summary>
internal sealed class PileHealthCheck(PileHost host) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check(context.Registration.FailureStatus));

    private HealthCheckResult Check(HealthStatus failure) => host.State switch
    {
        PileState.Opening => HealthCheckResult.Degraded("The pile is opening, and its tables are being found again.", data: DataOf(null)),
        PileState.Preparing => HealthCheckResult.Degraded("The pile is open, and the application prepares it.", data: DataOf(null)),
        PileState.Ready when host.Tables is { Cache: var cache } =>
            Of(cache.Readiness.Completion, failure, DataOf(cache), PileHealth.Of(cache.Pile).TroubleDetails),
        PileState.Failed => new HealthCheckResult(failure, "The pile can't be opened.", host.Failure, DataOf(null)),
        _ => new HealthCheckResult(failure, "The pile is closed.", data: DataOf(null)),
    };

    /// <summary>The health of an open pile.</summary>
    /// <param name="finding">Ends when all entries are found.</param>
    /// <param name="failure">The status of a pile that can't be used.</param>
    /// <param name="data">What is reported beside it.</param>
    /// <param name="trouble">Why it is degraded, though all are found.</param>
    internal static HealthCheckResult Of(
        Task finding, HealthStatus failure, IReadOnlyDictionary<string, object> data, string? trouble = null)
    {
        if (finding.IsCompletedSuccessfully && trouble != null)
            return HealthCheckResult.Degraded(trouble, data: data);
        if (finding.IsCompletedSuccessfully)
            return HealthCheckResult.Healthy("The pile is open.", data);
        if (finding.Exception is { } error)
            return new HealthCheckResult(failure, "The tables' entries can't all be found.", error.InnerException, data);
        return HealthCheckResult.Degraded("The tables answer, and their index is being rebuilt.", data: data);
    }

    private Dictionary<string, object> DataOf(PileCache? cache)
    {
        var data = new Dictionary<string, object>(StringComparer.Ordinal) { ["state"] = host.State.ToString() };
        if (cache == null)
            return data;
        data["tables"] = cache.TableNames.Count;
        data["progress"] = cache.Readiness.Progress;
        data["entriesFound"] = cache.Readiness.EntriesFound;
        PileHealth health = PileHealth.Of(cache.Pile);
        data["refusedPuts"] = health.RefusedPutCount;
        data["backgroundFailures"] = health.BackgroundFailureCount;
        if (health.LastFailure is { } last)
            data["lastBackgroundFailure"] = $"{health.LastFailedWork}: {last.Message}";
        return data;
    }
}
