using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace BigPile.Http.Bulk;

/// <summary>Serves the actions on a table, <c>/v1/tables/{table}:{action}</c>, ahead of routing.</summary>
internal sealed class ActionMiddleware(
    RequestDelegate next, PileHost host, RequestLimits limits, BatchEndpoints batches, TagEviction eviction, BulkEndpoints bulk,
    ILogger<ActionMiddleware> logger)
{
    private const string ReadMethod = "GET";

    private delegate Task<Problem?> Handler(HttpContext context, ServedTables tables, string tableName);

    /// <summary>Answers a request for an action, and passes on any other request.</summary>
    public Task InvokeAsync(HttpContext context)
    {
        string rawTarget = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        if (!ActionTarget.TryParse(rawTarget, out ActionTarget target) || Find(target.Action, out string method) is not { } handler)
            return next(context);
        if (context.Request.Method != method && !(method == ReadMethod && context.Request.Method == "HEAD"))
        {
            context.Response.Headers.Allow = method == ReadMethod ? "GET, HEAD" : method;
            return ProblemResponse.WriteAsync(context, ProblemCatalog.MethodNotAllowed);
        }
        if (host.Tables is not { } tables)
            return ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady);
        Span<char> nameBuffer = stackalloc char[TableName.MaxLength];
        if (!TableName.TryDecode(target.Table, nameBuffer, out ReadOnlySpan<char> name))
            return ProblemResponse.WriteAsync(context, ProblemCatalog.InvalidTableName);
        return AnswerAsync(context, handler, tables, tables.Intern(name));
    }

    private Handler? Find(ReadOnlySpan<char> action, out string method)
    {
        method = action is "export" ? ReadMethod : "POST";
        return action switch
        {
            "mget" => batches.GetAsync,
            "mset" => batches.SetAsync,
            "mdelete" => batches.DeleteAsync,
            "evict" => eviction.EvictAsync,
            "load" => bulk.LoadAsync,
            "export" => bulk.ExportAsync,
            _ => null,
        };
    }

    private async Task AnswerAsync(HttpContext context, Handler handler, ServedTables tables, string tableName)
    {
        Problem? problem;
        try
        {
            problem = await handler(context, tables, tableName).ConfigureAwait(false);
        }
        catch (Exception e) when (ProblemMapper.FromException(e, limits.MaxBodyBytes) is { } known)
        {
            if (known.Status == StatusCodes.Status500InternalServerError)
                logger.LogError(e, "An action on a table failed");
            problem = known;
        }
        if (problem != null)
            await ProblemResponse.WriteAsync(context, problem with { Table = tableName }).ConfigureAwait(false);
    }
}
