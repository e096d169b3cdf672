using System;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Page;
using BigPile.AspNetCore.Entries;
using BigPile.AspNetCore.Health;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Reports;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves the pile of an application over HTTP.</summary>
public static class BigPileApplicationExtensions
{
    private static readonly string[] ReadMethods = ["GET", "HEAD"];

    /// <summary>Serves entries at <c>/v1/tables/{table}/entries/{key}</c>, and passes all other requests on.</summary>
    /// <remarks>
    /// Belongs ahead of routing: call it before <c>UseRouting</c>. The path is read from the request's target as it came over the wire,
    /// so a path base is not taken off. Keys are percent-decoded UTF-8 of 1 to 1,024 bytes without NUL and without a segment
    /// <c>.</c> or <c>..</c>; <c>a/b</c> and <c>a%2Fb</c> are one key.
    /// </remarks>
    /// <param name="app">The application.</param>
    /// <returns><paramref name="app"/>.</returns>
    public static IApplicationBuilder UseBigPileEntries(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        IServiceProvider services = app.ApplicationServices;
        IOptions<BigPileOptions> options = services.GetRequiredService<IOptions<BigPileOptions>>();
        var reader = new EntryReader(options, services.GetRequiredService<TimeProvider>());
        var writer = new EntryWriter(options, services.GetRequiredService<ILogger<EntryWriter>>());
        return app.UseMiddleware<EntryMiddleware>(services.GetRequiredService<PileHost>(), reader, writer, services.GetRequiredService<EntryLatency>());
    }

    /// <summary>
    /// Maps <c>/v1/tables</c>, <c>/v1/tables/{table}</c>, <c>/v1/stats</c>, <c>/v1/memory</c>, <c>/health/live</c>, <c>/health/ready</c>
    /// and <c>/health/startup</c>.
    /// </summary>
    /// <param name="endpoints">Where to map them.</param>
    /// <returns><paramref name="endpoints"/>.</returns>
    public static IEndpointRouteBuilder MapBigPile(this IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        IServiceProvider services = endpoints.ServiceProvider;
        TimeProvider time = services.GetRequiredService<TimeProvider>();
        var activity = new ActivityMeter(services.GetRequiredService<EntryLatency>(), time);
        var reports = new ReportEndpoints(services.GetRequiredService<PileHost>(), activity, time);
        Map(endpoints, "/v1/tables", reports.TablesAsync);
        Map(endpoints, "/v1/tables/{table}", reports.TableAsync);
        Map(endpoints, "/v1/stats", reports.StatsAsync);
        Map(endpoints, "/v1/memory", reports.MemoryAsync);
        var health = new HealthEndpoints(services.GetRequiredService<PileHost>());
        Map(endpoints, "/health/live", HealthEndpoints.LiveAsync);
        Map(endpoints, "/health/ready", health.ReadyAsync);
        Map(endpoints, "/health/startup", health.StartupAsync);
        return endpoints;
    }

    /// <summary>Maps the page at <c>/</c>, with its files below <c>/console/</c>: memory, tables and entries of the service in a browser.</summary>
    /// <remarks>It asks <see cref="MapBigPile"/>'s routes and no other host, and needs no more than they grant to whoever looks at it.</remarks>
    /// <param name="endpoints">Where to map it.</param>
    /// <returns><paramref name="endpoints"/>.</returns>
    public static IEndpointRouteBuilder MapBigPileConsole(this IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        var page = new ConsolePage();
        Map(endpoints, "/", page.IndexAsync);
        Map(endpoints, "/console/{file}", page.FileAsync);
        return endpoints;
    }

    private static void Map(IEndpointRouteBuilder endpoints, string pattern, RequestDelegate handler) =>
        endpoints.MapMethods(pattern, ReadMethods, handler);
}
