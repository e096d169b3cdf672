using System;
using System.Collections.Generic;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace BigPile.Http.Api;

/// <summary>Reports, creates, alters and drops tables.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class TableEndpoints(PileHost host, RequestLimits limits, BufferQuota quota)
{
    private const int MaxDocumentBytes = 64 * 1024;

    /// <summary>Reports a table's contents, counters and options.</summary>
    internal Task GetAsync(HttpContext context) =>
        AnswerAsync(context, (tables, name) => Answer(context, tables, name, StatusCodes.Status200OK));

    /// <summary>Creates a table, or sets its options as the document states; what it omits gets the default.</summary>
    internal Task PutAsync(HttpContext context) => AnswerAsync(context, async (tables, name) =>
    {
        using ValueBuffer.Loan loan = ValueBuffer.Lend(quota, out ValueBuffer body);
        try
        {
            if (await BodyBuffer.ReadDocumentAsync(
                context, body, Math.Min(limits.MaxBodyBytes, MaxDocumentBytes)).ConfigureAwait(false) is { } unread)
                return unread;
            TableOptions stated = TableSettings.Parse(body.WrittenSpan).ToOptions(name);
            if (stated.InitialEntries > limits.MaxInitialEntries)
                return ProblemCatalog.InvalidTableOptions(WhyNot(stated.InitialEntries));
            if (tables.Configure(name, stated, context.Features.Get<HeldKey>(), out bool isNew) is { } refusal)
                return ProblemMapper.FromRefusal(refusal);
            if (isNew)
                context.Response.Headers.Location = "/v1/tables/" + name;
            return await Answer(
                context, tables, name, isNew ? StatusCodes.Status201Created : StatusCodes.Status200OK).ConfigureAwait(false);
        }
        catch (JsonException e)
        {
            return ProblemCatalog.InvalidDocument(e.Message);
        }
        catch (ArgumentException e)
        {
            return ProblemCatalog.InvalidTableOptions(TableSettings.Describe(e));
        }
    });

    /// <summary>Drops a table with all its entries.</summary>
    internal Task DeleteAsync(HttpContext context) => AnswerAsync(context, (tables, name) =>
    {
        if (!tables.Exists(name))
            return new ValueTask<Problem?>(ProblemCatalog.TableNotFound);
        if (tables.IsOwned(name))
            return new ValueTask<Problem?>(ProblemCatalog.TableOwned);
        if (!tables.TryDrop(name))
            return new ValueTask<Problem?>(ProblemCatalog.OtherKeyType);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
        return default;
    });

    /// <summary>Refuses a method that a table does not have.</summary>
    internal static Task RefuseAsync(HttpContext context)
    {
        context.Response.Headers.Allow = "GET, HEAD, PUT, DELETE";
        return ProblemResponse.WriteAsync(context, ProblemCatalog.MethodNotAllowed);
    }

    private string WhyNot(long initialEntries) =>
        $"initialEntries is {initialEntries:N0}; it must be at most {limits.MaxInitialEntries:N0}, as Limits:InitialEntries "
        + "(BigPileHttpOptions.MaxInitialEntries) allows. The index grows by itself.";

    private static async ValueTask<Problem?> Answer(HttpContext context, ServedTables tables, string name, int status)
    {
        if (!tables.Exists(name))
            return ProblemCatalog.TableNotFound;
        var document = (JsonObject)JsonSerializer.SerializeToNode(TableReport.Of(tables.Cache, name), ReportJson.Default.TableReport)!;
        if (tables.TryGet(name, out CacheTable<string, byte[]>? table))
            document["options"] = JsonSerializer.SerializeToNode(TableSettings.Of(table.Options), TableJson.Default.TableSettings);
        context.Response.StatusCode = status;
        await JsonAnswer.WriteAsync(context, document).ConfigureAwait(false);
        return null;
    }

    private async Task AnswerAsync(HttpContext context, Func<ServedTables, string, ValueTask<Problem?>> answer)
    {
        string name = (string?)context.GetRouteValue("table") ?? "";
        Problem? problem;
        try
        {
            problem = !TableName.IsValid(name) ? ProblemCatalog.InvalidTableName
                : host.Tables is not { } tables ? ProblemCatalog.NotReady
                : await answer(tables, name).ConfigureAwait(false);
        }
        catch (KeyNotFoundException)
        {
            problem = ProblemCatalog.TableNotFound; // dropped meanwhile
        }
        catch (Exception e) when (ProblemMapper.FromException(e, limits.MaxBodyBytes) is { } known)
        {
            problem = known;
        }
        if (problem == null)
            return;
        bool isName = problem.Code != ProblemCatalog.InvalidTableName.Code;
        await ProblemResponse.WriteAsync(context, isName ? problem with { Table = name } : problem).ConfigureAwait(false);
    }
}
