using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json.Serialization;
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
        return JsonAnswer.WriteAsync(
            context, AccessReport.Of(context.Features.Get<HeldKey>(), isAdministration), ReportJson.Default.AccessReport);
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
                await JsonAnswer.WriteAsync(context, report(tables.Cache), json).ConfigureAwait(false);
                return;
            }
            catch (ObjectDisposedException)
            {
                // The service is stopping.
            }
        }
        await ProblemResponse.WriteAsync(context, ProblemCatalog.NotReady).ConfigureAwait(false);
    }
}

/// <summary>What a key allows, so that a client need not offer what would be refused.</summary>
/// <param name="Key">The key's name; omitted if the service has no keys.</param>
/// <param name="Scopes">The scopes: read, write, admin.</param>
/// <param name="Tables">The accessible tables; <c>*</c> in a name matches any characters.</param>
/// <param name="AllTables">Whether these are all tables, future ones included.</param>
/// <param name="Administration">Whether this port answers requests that need the scope admin.</param>
internal sealed record AccessReport(
    string? Key, IReadOnlyList<string> Scopes, IReadOnlyList<string> Tables, bool AllTables, bool Administration)
{
    private static readonly KeyScopes[] All = [KeyScopes.Read, KeyScopes.Write, KeyScopes.Admin];

    /// <summary>Describes the access of a request.</summary>
    /// <param name="key">The request's key; <see langword="null"/>: the service has no keys.</param>
    /// <param name="isAdministration">Whether the request's port answers administration.</param>
    internal static AccessReport Of(HeldKey? key, bool isAdministration) => new(
        key?.Name,
        [.. All.Where(scope => key == null || key.Has(scope)).Select(static scope => scope.ToString().ToLowerInvariant())],
        key?.Tables ?? [TablePattern.All], key == null || key.ReachesAll(), isAdministration);
}

/// <summary>Writes reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(AccessReport))]
[JsonSerializable(typeof(TableList))]
[JsonSerializable(typeof(TableReport))]
[JsonSerializable(typeof(StatsReport))]
[JsonSerializable(typeof(MemoryMapReport))]
internal sealed partial class ReportJson : JsonSerializerContext;
