using System;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Api;

/// <summary>Answers requests about the service itself.</summary>
internal sealed class ReportEndpoints(PileHost host, ActivityMeter activity, ServiceMeter service, int? adminPort, TimeProvider time)
{
    /// <summary>Reports what the request's key allows; also while the pile is not open.</summary>
    internal Task AccessAsync(HttpContext context)
    {
        bool isAdministration = adminPort is not { } port || context.Connection.LocalPort == port;
        return WriteAsync(context, AccessReport.Of(context.Features.Get<HeldKey>(), isAdministration), ReportJson.Default.AccessReport);
    }

    internal Task TablesAsync(HttpContext context) =>
        AnswerAsync(context, cache => TableList.Of(cache, activity, context.Features.Get<HeldKey>()), ReportJson.Default.TableList);

    internal Task StatsAsync(HttpContext context) =>
        AnswerAsync(context, cache => StatsReport.Of(cache, activity, time, service), ReportJson.Default.StatsReport);

    internal Task MemoryAsync(HttpContext context) =>
        AnswerAsync(context, static cache => MemoryMapReport.Of(cache.Pile), ReportJson.Default.MemoryMapReport);

    private async Task AnswerAsync<T>(HttpContext context, Func<PileCache, T> report, JsonTypeInfo<T> json)
    {
        if (host.Tables is { } tables)
        {
            try
            {
                await WriteAsync(context, report(tables.Cache), json).ConfigureAwait(false);
                return;
            }
            catch (ObjectDisposedException)
            {
                // The service is stopping.
            }
        }
        await ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady).ConfigureAwait(false);
    }

    private static Task WriteAsync<T>(HttpContext context, T report, JsonTypeInfo<T> json)
    {
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(report, json);
        context.Response.ContentType = MediaTypes.Json;
        context.Response.ContentLength = body.Length;
        context.Response.Headers.CacheControl = "no-store";
        return context.Response.Body.WriteAsync(body, 0, body.Length, context.RequestAborted);
    }
}
