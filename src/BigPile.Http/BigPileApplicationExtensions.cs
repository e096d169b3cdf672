using System;
using BigPile.AspNetCore.Hosting;
using BigPile.Http;
using BigPile.Http.Api;
using BigPile.Http.Bulk;
using BigPile.Http.Console;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves the pile of an application over HTTP.</summary>
public static class BigPileApplicationExtensions
{
    private static readonly string[] ReadMethods = ["GET", "HEAD"];
    private static readonly string[] PutMethod = ["PUT"];
    private static readonly string[] PostMethod = ["POST"];
    private static readonly string[] DeleteMethod = ["DELETE"];

    /// <summary>
    /// Serves entries at <c>/v1/tables/{table}/entries/{key}</c> and the actions on tables, <c>/v1/tables/{table}:mget</c> and the like,
    /// ahead of routing, and passes all other requests on.
    /// </summary>
    /// <remarks>
    /// <see cref="MapBigPile"/> serves them too, at about twice the cost. Belongs ahead of routing: call it before <c>UseRouting</c>. The
    /// path is read from the raw request target, so a path base is not removed. Keys are percent-decoded UTF-8 of 1 to 1,024 bytes without
    /// NUL and without a segment <c>.</c> or <c>..</c>; <c>a/b</c> and <c>a%2Fb</c> are one key.
    /// </remarks>
    /// <param name="app">The application.</param>
    /// <returns><paramref name="app"/>.</returns>
    public static IApplicationBuilder UseBigPileEntries(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        IServiceProvider services = app.ApplicationServices;
        return app
            .UseMiddleware<EntryMiddleware>(
                Registered.HostOf(services), BigPileTableExtensions.ReaderOf(services), BigPileTableExtensions.WriterOf(services),
                services.GetRequiredService<EntryLatency>())
            .Use(next => ActionsOf(services, next).InvokeAsync);
    }

    /// <summary>
    /// Serves the whole service under <c>/v1</c>, with <c>/health/live</c>, <c>/health/ready</c>, <c>/health/startup</c> and
    /// <c>/openapi/v1.json</c>.
    /// </summary>
    /// <param name="endpoints">Where to map.</param>
    /// <returns><paramref name="endpoints"/>.</returns>
    public static IEndpointRouteBuilder MapBigPile(this IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        IServiceProvider services = endpoints.ServiceProvider;
        PileHost host = Registered.HostOf(services);
        TimeProvider time = services.GetRequiredService<TimeProvider>();
        var reports = new ReportEndpoints(
            host, new ActivityMeter(services.GetRequiredService<EntryLatency>(), time), ServiceMeter.Of(services),
            services.GetService<AccessRules>()?.AdminPort, time);
        endpoints.MapMethods("/v1/access", ReadMethods, (RequestDelegate)reports.AccessAsync);
        endpoints.MapMethods("/v1/tables", ReadMethods, (RequestDelegate)reports.TablesAsync);
        endpoints.MapMethods("/v1/stats", ReadMethods, (RequestDelegate)reports.StatsAsync);
        endpoints.MapMethods("/v1/memory", ReadMethods, (RequestDelegate)reports.MemoryAsync);
        var health = new HealthEndpoints(host);
        endpoints.MapMethods("/health/live", ReadMethods, (RequestDelegate)HealthEndpoints.LiveAsync);
        endpoints.MapMethods("/health/ready", ReadMethods, (RequestDelegate)health.ReadyAsync);
        endpoints.MapMethods("/health/startup", ReadMethods, (RequestDelegate)health.StartupAsync);
        endpoints.MapMethods("/openapi/v1.json", ReadMethods, (RequestDelegate)ApiDocument.GetAsync);
        MapEntries(endpoints, services, host);
        MapTables(endpoints, services, host);
        MapOperations(endpoints, services, host);
        return endpoints;
    }

    /// <summary>
    /// Maps the console at <c>/</c>, with its files below <c>/console/</c>: a page in the browser that shows statistics, and shows and
    /// changes tables, entries and operations.
    /// </summary>
    /// <remarks>It uses <see cref="MapBigPile"/>'s routes and no other host, with the rights of its user.</remarks>
    /// <param name="endpoints">Where to map it.</param>
    /// <returns><paramref name="endpoints"/>.</returns>
    public static IEndpointRouteBuilder MapBigPileConsole(this IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        var page = new ConsolePage();
        endpoints.MapMethods("/", ReadMethods, (RequestDelegate)page.IndexAsync);
        endpoints.MapMethods("/console/{file}", ReadMethods, (RequestDelegate)page.FileAsync);
        return endpoints;
    }

    private static void MapEntries(IEndpointRouteBuilder endpoints, IServiceProvider services, PileHost host)
    {
        var entries = new EntryMiddleware(
            NotFoundAsync, host, BigPileTableExtensions.ReaderOf(services), BigPileTableExtensions.WriterOf(services),
            services.GetRequiredService<EntryLatency>());
        endpoints.Map("/v1/tables/{table}/entries/{**key}", (RequestDelegate)entries.InvokeAsync);
        endpoints.Map("/v1/tables/{table}:{action}", (RequestDelegate)ActionsOf(services, NotFoundAsync).InvokeAsync);
    }

    private static void MapTables(IEndpointRouteBuilder endpoints, IServiceProvider services, PileHost host)
    {
        var tables = new TableEndpoints(host, services.GetRequiredService<RequestLimits>(), services.GetRequiredService<BufferQuota>());
        endpoints.MapMethods("/v1/tables/{table}", ReadMethods, (RequestDelegate)tables.GetAsync);
        endpoints.MapMethods("/v1/tables/{table}", PutMethod, (RequestDelegate)tables.PutAsync);
        endpoints.MapMethods("/v1/tables/{table}", DeleteMethod, (RequestDelegate)tables.DeleteAsync);
        // routing does not: it takes an action for possible
        endpoints.Map("/v1/tables/{table}", (RequestDelegate)TableEndpoints.RefuseAsync);
        endpoints.MapMethods("/v1/tables/{table}/keys", ReadMethods, (RequestDelegate)new KeyListing(
            host, services.GetRequiredService<BufferQuota>()).GetAsync);
    }

    private static void MapOperations(IEndpointRouteBuilder endpoints, IServiceProvider services, PileHost host)
    {
        OperationStore store = services.GetRequiredService<OperationStore>();
        var admin = new AdminActions(host, store, services.GetRequiredService<ILogger<AdminActions>>());
        foreach (string action in AdminActions.Names)
            endpoints.MapMethods("/v1/admin:" + action, PostMethod, (RequestDelegate)(context => admin.BeginAsync(context, action)));
        var rotation = new Rotation(
            host, services.GetRequiredService<TimeProvider>(), services.GetRequiredService<ILogger<Rotation>>());
        endpoints.MapMethods("/v1/admin:rotation", PostMethod, (RequestDelegate)rotation.AnswerAsync);
        var operations = new OperationEndpoints(store);
        endpoints.MapMethods("/v1/operations", ReadMethods, (RequestDelegate)operations.ListAsync);
        endpoints.MapMethods("/v1/operations/{id}", ReadMethods, (RequestDelegate)operations.GetAsync);
        endpoints.MapMethods("/v1/operations/{id}", DeleteMethod, (RequestDelegate)operations.CancelAsync);
    }

    private static ActionMiddleware ActionsOf(IServiceProvider services, RequestDelegate next)
    {
        RequestLimits limits = services.GetRequiredService<RequestLimits>();
        TimeProvider time = services.GetRequiredService<TimeProvider>();
        BufferQuota quota = services.GetRequiredService<BufferQuota>();
        ExpensiveWork work = services.GetRequiredService<ExpensiveWork>();
        var bulk = new BulkEndpoints(limits, quota, work, services.GetRequiredService<OperationStore>(), time);
        return new ActionMiddleware(
            next, services.GetRequiredService<PileHost>(), limits, new BatchEndpoints(limits, quota, work, time),
            new TagEviction(limits, quota), bulk,
            services.GetRequiredService<ILogger<ActionMiddleware>>());
    }

    private static System.Threading.Tasks.Task NotFoundAsync(HttpContext context) =>
        ProblemResponse.WriteAsync(context, ProblemCatalog.RouteNotFound);
}
