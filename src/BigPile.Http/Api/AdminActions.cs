using System;
using System.Linq;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace BigPile.Http.Api;

/// <summary>Answers <c>POST /v1/admin:{action}</c>: starts the action, and returns the location of its operation.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class AdminActions(PileHost host, OperationStore operations, ILogger<AdminActions> logger)
{
    internal static readonly string[] Names = ["flush", "compact", "verify", "warm", "purge"];

    private const int MaxRunning = 8;
    private const int MaxFaults = 20;

    internal Task BeginAsync(HttpContext context, string action)
    {
        if (host.Tables is not { } tables)
            return ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady);
        string? tableName = context.Request.Query["table"];
        if (tableName != null && action != "purge")
            return ProblemResponse.WriteAsync(
                context, ProblemCatalog.InvalidQuery("table", tableName, "left out: the action is on the whole pile"));
        if (tableName != null && !TableName.IsValid(tableName))
            return ProblemResponse.WriteAsync(context, ProblemCatalog.InvalidTableName);
        if (tableName != null && !tables.Exists(tableName))
            return ProblemResponse.WriteAsync(context, ProblemCatalog.TableNotFound with { Table = tableName });
        Pile pile = tables.Cache.Pile;
        var stop = CancellationTokenSource.CreateLinkedTokenSource(host.Stopping);
        Action? cancel = action switch
        {
            "compact" or "verify" => stop.Cancel,
            "warm" => () => ThreadPool.QueueUserWorkItem(_ => pile.Recovery.Pause()),
            _ => null,
        };
        var progress = new OperationProgress(UnitOf(action), operations.Progressed);
        Func<JsonObject?> describe = action == "warm" ? () => ProgressOf(pile) : progress.Describe;
        if (operations.TryBegin(action, tableName, describe, MaxRunning, cancel) is not { } operation)
            return ProblemResponse.WriteAsync(context, ProblemCatalog.TooManyOperations);
        _ = Task.Run(
            () => RunAsync(operation, action, () => DoAsync(action, tables, tableName, progress, stop.Token)), CancellationToken.None);
        context.Response.StatusCode = StatusCodes.Status202Accepted;
        context.Response.Headers.Location = "/v1/operations/" + operation.Id;
        return JsonAnswer.WriteAsync(context, operation.Describe());
    }

    private static string UnitOf(string action) => action switch
    {
        "compact" or "verify" => "pages",
        "purge" => "buckets",
        _ => "bytes",
    };

    private async Task RunAsync(Operation operation, string action, Func<Task<JsonObject>> work)
    {
        try
        {
            operations.Complete(operation, await work().ConfigureAwait(false));
        }
        catch (Exception e) when (e is OperationCanceledException || (e is ObjectDisposedException && host.IsStopping))
        {
            operations.Cancel(operation);
        }
        catch (Exception e) when (e is PileException or ObjectDisposedException)
        {
            logger.LogError(e, "The operation {Action} failed", action);
            operations.Fail(operation, ProblemMapper.FromException(e, 0)!);
        }
    }

    private static Task<JsonObject> DoAsync(
        string action, ServedTables tables, string? tableName, OperationProgress progress, CancellationToken stop)
    {
        Pile pile = tables.Cache.Pile;
        switch (action)
        {
            case "flush":
                pile.Flush(progress);
                return Task.FromResult(new JsonObject());
            case "compact":
                return Task.FromResult(new JsonObject { ["freedBytes"] = pile.Compact(progress, stop) });
            case "verify":
                return Task.FromResult(Describe(pile.Verify(progress, stop)));
            case "warm":
                return WarmAsync(pile);
            default:
                return Task.FromResult(Purge(tables, tableName, new StoppableProgress(progress, stop)));
        }
    }

    private static async Task<JsonObject> WarmAsync(Pile pile)
    {
        pile.Recovery.Resume();
        await pile.Recovery.Completion.ConfigureAwait(false);
        if (!pile.Recovery.IsComplete)
            throw new OperationCanceledException();
        return new JsonObject { ["bytes"] = pile.Recovery.TotalBytes, ["faults"] = pile.Recovery.FaultCount };
    }

    private static JsonObject ProgressOf(Pile pile)
    {
        long totalBytes = pile.Recovery.TotalBytes;
        long remainingBytes = Math.Min(pile.Recovery.RemainingBytes, totalBytes);
        JsonObject progress = OperationProgress.Describe(new PileProgress(totalBytes - remainingBytes, totalBytes), UnitOf("warm"));
        progress["totalBytes"] = totalBytes;
        progress["remainingBytes"] = remainingBytes;
        return progress;
    }

    private static JsonObject Describe(PileVerification found) => new()
    {
        ["isSound"] = found.IsSound,
        ["blocks"] = found.BlockCount,
        ["payloadBytes"] = found.PayloadBytes,
        ["pages"] = found.PageCount,
        ["faultCount"] = found.FaultCount,
        ["faults"] = new JsonArray([.. found.Faults.Take(MaxFaults).Select(static fault => JsonValue.Create(fault.ToString()))]),
    };

    private static JsonObject Purge(ServedTables tables, string? tableName, StoppableProgress progress)
    {
        var removed = new JsonObject();
        foreach ((string name, long count) in TablePurge.Run(TablePurge.Served(tables, tableName), progress))
            removed[name] = count;
        return new JsonObject { ["removed"] = removed };
    }
}

/// <summary>Cancels work that takes no token, at its next progress report.</summary>
/// <param name="receiver">The receiver of the reports.</param>
/// <param name="stop">Is canceled to end the work.</param>
/// <remarks>Thread safety: as the receiver's.</remarks>
internal sealed class StoppableProgress(IProgress<PileProgress> receiver, CancellationToken stop) : IProgress<PileProgress>
{
    /// <inheritdoc/>
    /// <exception cref="OperationCanceledException">The work was canceled.</exception>
    public void Report(PileProgress value)
    {
        stop.ThrowIfCancellationRequested();
        receiver.Report(value);
    }
}
