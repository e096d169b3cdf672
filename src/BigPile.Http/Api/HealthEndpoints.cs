using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Api;

/// <summary>Answers the probes of containers and balancers.</summary>
internal sealed class HealthEndpoints(PileHost host)
{
    /// <summary>200 as long as the process answers: only a restart helps one that does not.</summary>
    internal static Task LiveAsync(HttpContext context) => WriteAsync(context, HealthReport.Live, isGood: true);

    /// <summary>200 while entries are served; 503 before, and from the moment on at which the host is told to stop.</summary>
    internal Task ReadyAsync(HttpContext context) =>
        WriteAsync(context, HealthReport.Of(host), host.State == PileState.Ready && !host.IsStopping);

    /// <summary>200 from the moment on at which entries are served: what comes after is the other probes' to judge.</summary>
    internal Task StartupAsync(HttpContext context) =>
        WriteAsync(context, HealthReport.Of(host), host.State is PileState.Ready or PileState.Closed);

    private static Task WriteAsync(HttpContext context, HealthReport report, bool isGood)
    {
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(report, HealthJson.Default.HealthReport);
        if (!isGood)
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        context.Response.ContentType = MediaTypes.Json;
        context.Response.ContentLength = body.Length;
        context.Response.Headers.CacheControl = "no-store";
        return context.Response.Body.WriteAsync(body, 0, body.Length, context.RequestAborted);
    }
}
