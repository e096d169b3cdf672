using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.AspNetCore.Entries;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Operations;
using BigPile.AspNetCore.Problems;
using BigPile.AspNetCore.Security;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace BigPile.AspNetCore.Loading;

/// <summary>Answers <c>:load</c> and <c>:export</c>. Both are operations while they run, so that others see how far they are.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class BulkEndpoints(BigPileOptions options, OperationStore operations, TimeProvider time)
{
    private const string Ndjson = "application/x-ndjson";
    private const int MaxErrors = 100;

    /// <summary>Loads the lines of the body.</summary>
    internal async Task<Problem?> LoadAsync(HttpContext context, ServedTables tables, string tableName)
    {
        string? keyField = context.Request.Query["key"];
        if (keyField is "")
            return ProblemCatalog.InvalidQuery("key", "", "the name of a field, or left out for lines as an export writes them");
        if (context.Request.Headers.ContentEncoding.Count != 0
            && !ContentCodings.TryFind(context.Request.Headers.ContentEncoding.ToString(), out _))
        {
            return ProblemCatalog.UnsupportedCoding;
        }
        if (tables.OpenToPut(tableName, out CacheTable<string, byte[]> table, context.Features.Get<HeldKey>()) is { } refusal)
            return refusal;
        BodyBuffer.Limit(context, null);
        var errors = new List<(long Line, string Reason)>();
        var tally = new LoadTally(time, (line, reason) =>
        {
            if (errors.Count < MaxErrors)
                errors.Add((line, reason));
        });
        Operation operation = operations.Begin("load", tableName, () => new JsonObject { ["records"] = tally.Records, ["bytes"] = tally.Bytes });
        try
        {
            var load = new BulkLoad(table, keyField, options.MaxBodyBytes, tally, time);
            await RunAsync(context, load).ConfigureAwait(false);
            JsonObject result = Describe(tally, errors, load.End);
            operations.Complete(operation, result.DeepClone());
            result["operation"] = operation.Id;
            await JsonAnswer.WriteAsync(context, result).ConfigureAwait(false);
            return null;
        }
        catch (Exception e)
        {
            Problem problem = e is InvalidDataException ? ProblemCatalog.UndecodableBody(e.Message)
                : ProblemOf.Exception(e, options.MaxBodyBytes) ?? ProblemCatalog.BadBody;
            problem = problem with { Detail = $"{problem.Detail ?? problem.Title} {tally.Records:N0} records were loaded before that, and stay." };
            operations.Fail(operation, problem);
            if (e is OperationCanceledException)
                return null; // there is nobody any more who would read an answer
            if (ProblemOf.Exception(e, options.MaxBodyBytes) == null && e is not InvalidDataException)
                throw;
            return problem;
        }
    }

    /// <summary>Sends all entries.</summary>
    internal async Task<Problem?> ExportAsync(HttpContext context, ServedTables tables, string tableName)
    {
        if (!tables.TryGet(tableName, out CacheTable<string, byte[]>? table))
            return tables.Exists(tableName) ? ProblemCatalog.OtherKeyType : ProblemCatalog.TableNotFound;
        if (table.Core.HasForeignValues)
            return ProblemCatalog.ForeignValue;
        context.Response.ContentType = Ndjson;
        context.Response.Headers.CacheControl = "no-store";
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        await context.Response.StartAsync().ConfigureAwait(false);
        var export = new BulkExport(table, context.Response.BodyWriter);
        Operation operation = operations.Begin("export", tableName, () => new JsonObject { ["entries"] = export.Entries });
        try
        {
            ExportEnd? end = await export.RunAsync(context.RequestAborted).ConfigureAwait(false);
            if (end is { } done)
                operations.Complete(operation, new JsonObject { ["entries"] = done.Entries, ["skipped"] = done.Skipped });
            else
                operations.Fail(operation, ProblemCatalog.BadBody with { Detail = "The client has gone." });
            return null;
        }
        catch (Exception e)
        {
            operations.Fail(operation, ProblemOf.Exception(e, 0) ?? ProblemCatalog.PileFailed with { Detail = e.Message });
            if (e is OperationCanceledException)
                return null;
            context.Abort(); // a client must not take what it has for a whole export
            throw;
        }
    }

    private static async Task RunAsync(HttpContext context, BulkLoad load)
    {
        _ = ContentCodings.TryFind(context.Request.Headers.ContentEncoding.ToString(), out ContentCoding coding);
        Stream body = PayloadDecoder.Open(context.Request.Body, coding, leaveOpen: true);
        await using (body.ConfigureAwait(false))
            await load.RunAsync(body, context.RequestAborted).ConfigureAwait(false);
    }

    private static JsonObject Describe(LoadTally tally, List<(long Line, string Reason)> errors, ExportEnd? end)
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
