using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace BigPile.Http.Bulk;

/// <summary>Answers <c>:load</c> and <c>:export</c>. Both are listed as operations while they run, with their progress.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class BulkEndpoints(
    RequestLimits limits, BufferQuota quota, ExpensiveWork work, OperationStore operations, TimeProvider time)
{
    private const string Ndjson = "application/x-ndjson";
    private const int MaxErrors = 100;
    private const int MaxKeptErrors = 10;

    /// <summary>Loads the lines of the body.</summary>
    internal async Task<Problem?> LoadAsync(HttpContext context, ServedTables tables, string tableName)
    {
        string? keyField = context.Request.Query["key"];
        if (keyField is "" || context.Request.Query["key"].Count > 1)
            return ProblemCatalog.InvalidQuery("key", keyField!, "the name of a field, or left out for lines as an export writes them");
        if (context.Request.Headers.ContentEncoding.Count != 0
            && !ContentCodings.TryFind(context.Request.Headers.ContentEncoding.ToString(), out _))
        {
            return ProblemCatalog.UnsupportedCoding;
        }
        var target = new PutTarget(tables, tableName, context.Features.Get<HeldKey>());
        if (target.Check() is { } refusal)
            return refusal;
        BodyBuffer.Limit(context, null);
        var errors = new List<(long Line, string Reason)>();
        var tally = new LoadTally(time, (line, reason) =>
        {
            if (errors.Count < MaxErrors)
                errors.Add((line, reason));
        });
        Operation? operation = operations.TryBegin(
            "load", tableName, () => new JsonObject { ["records"] = tally.Records, ["bytes"] = tally.Bytes }, limits.MaxBulkRequests);
        if (operation == null)
            return ProblemCatalog.TooManyOperations;
        try
        {
            var budget = new DecodeBudget(limits.MaxBatchBytes, context.RequestAborted);
            using var load = new BulkLoad(target.Require, keyField, limits.MaxBodyBytes, tally, time, budget, quota, work);
            await RunAsync(context, load, budget).ConfigureAwait(false);
            JsonObject result = Describe(tally, errors, load.End);
            operations.Complete(operation, Describe(tally, errors.Take(MaxKeptErrors), load.End));
            result["operation"] = operation.Id;
            await JsonAnswer.WriteAsync(context, result).ConfigureAwait(false);
            return null;
        }
        catch (Exception e)
        {
            Problem problem = e is InvalidDataException ? ProblemCatalog.UndecodableBody(e.Message)
                : ProblemMapper.FromException(e, limits.MaxBodyBytes) ?? ProblemCatalog.BadBody;
            string fate = e is TableDroppedException ? "went with it" : "stay";
            problem = problem with { Detail = $"{problem.Detail ?? problem.Title} {tally.Records:N0} records were loaded before that, "
                + $"and {fate}." };
            operations.Fail(operation, problem);
            if (ProblemMapper.FromException(e, limits.MaxBodyBytes) == null && e is not InvalidDataException)
                throw;
            return problem;
        }
    }

    /// <summary>Sends all entries.</summary>
    internal async Task<Problem?> ExportAsync(HttpContext context, ServedTables tables, string tableName)
    {
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return ProblemMapper.ForMissingTable(tables, tableName);
        if (table.HasOpaqueValues)
            return ProblemCatalog.OpaqueValue;
        context.Response.ContentType = Ndjson;
        context.Response.Headers.CacheControl = "no-store";
        if (context.Request.Method == "HEAD")
            return null; // the size of an export is unknown until it ends
        var export = new BulkExport(table, context.Response.BodyWriter, quota.ForAnswers, context);
        Operation? operation = operations.TryBegin(
            "export", tableName, () => new JsonObject { ["entries"] = export.Entries }, limits.MaxBulkRequests);
        if (operation == null)
            return ProblemCatalog.TooManyOperations;
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        try
        {
            await context.Response.StartAsync().ConfigureAwait(false);
            ExportEnd? end = await export.RunAsync(context.RequestAborted).ConfigureAwait(false);
            if (end is { } done)
                operations.Complete(operation, new JsonObject { ["entries"] = done.Entries, ["skipped"] = done.Skipped });
            else
                throw new ConnectionAbortedException("The client has gone.");
            return null;
        }
        catch (Exception e)
        {
            Problem problem = e is OperationCanceledException ? ProblemCatalog.BadBody : ProblemCatalog.PileFailed;
            operations.Fail(operation, ProblemMapper.FromException(e, 0) ?? problem with { Detail = e.Message });
            context.Abort(); // so that the client does not take a part for a complete export
            if (e is TableDroppedException)
                return null; // the owner canceled the operation
            throw;
        }
    }

    private static async Task RunAsync(HttpContext context, BulkLoad load, DecodeBudget budget)
    {
        _ = ContentCodings.TryFind(context.Request.Headers.ContentEncoding.ToString(), out ContentCoding coding);
        var body = new BulkBody(context, coding, budget);
        await using (body.ConfigureAwait(false))
            await load.RunAsync(body, context.RequestAborted).ConfigureAwait(false);
    }

    private static JsonObject Describe(LoadTally tally, IEnumerable<(long Line, string Reason)> errors, ExportEnd? end)
    {
        var result = new JsonObject
        {
            ["records"] = tally.Records,
            ["bytes"] = tally.Bytes,
            ["replaced"] = tally.Replaced,
            ["expired"] = tally.Expired,
            ["skipped"] = tally.Skipped,
            ["seconds"] = Math.Round(tally.Elapsed.TotalSeconds, 3),
        };
        if (end is { } found)
            result["exported"] = found.Entries;
        var list = new JsonArray();
        foreach ((long line, string reason) in errors)
            list.Add(new JsonObject { ["line"] = line, ["reason"] = reason });
        result["errors"] = list;
        return result;
    }
}
