using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Exports metrics to Prometheus. Other tools listen to the meter <c>BigPile</c> as to any other.</summary>
public static class BigPileMetricsExtensions
{
    /// <summary>Collects the measurements of meters, from the host's start.</summary>
    /// <param name="services">The application's services.</param>
    /// <param name="meters">The names of the meters; <c>BigPile</c> is that of the piles and their tables.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddBigPileMetrics(this IServiceCollection services, params IEnumerable<string> meters)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(meters);
        services.AddMetrics();
        services.AddSingleton(provider => new MetricCollector(
            meters, provider.GetRequiredService<IMeterFactory>(), provider.GetRequiredService<ILogger<MetricCollector>>()));
        return services;
    }

    /// <summary>Answers <c>GET</c> with all metrics in Prometheus' text format.</summary>
    /// <param name="endpoints">Where to map it.</param>
    /// <param name="pattern">The path.</param>
    /// <returns>The endpoint's builder.</returns>
    public static IEndpointConventionBuilder MapBigPileMetrics(this IEndpointRouteBuilder endpoints, string pattern = "/metrics")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        MetricCollector collector = endpoints.ServiceProvider.GetRequiredService<MetricCollector>();
        return endpoints.MapMethods(pattern, ["GET", "HEAD"], context => WriteAsync(context, collector));
    }

    private static Task WriteAsync(HttpContext context, MetricCollector collector)
    {
        byte[] body = Encoding.UTF8.GetBytes(collector.Collect());
        context.Response.ContentType = PrometheusText.ContentType;
        context.Response.ContentLength = body.Length;
        context.Response.Headers.CacheControl = "no-store";
        return context.Response.Body.WriteAsync(body, 0, body.Length, context.RequestAborted);
    }
}
