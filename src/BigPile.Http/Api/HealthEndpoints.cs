using System.Text.Json.Serialization;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Api;

/// <summary>Answers the probes of containers and balancers.</summary>
internal sealed class HealthEndpoints(PileHost host)
{
    /// <summary>200 while the process responds; for one that does not, only a restart helps.</summary>
    internal static Task LiveAsync(HttpContext context) => WriteAsync(context, HealthReport.Live, isGood: true);

    /// <summary>200 while entries are served; 503 before, and once the host is stopping.</summary>
    internal Task ReadyAsync(HttpContext context) =>
        WriteAsync(context, HealthReport.Of(host), host.State == PileState.Ready && !host.IsStopping);

    /// <summary>200 once entries are served; later states are for the other probes.</summary>
    internal Task StartupAsync(HttpContext context) =>
        WriteAsync(context, HealthReport.Of(host), host.State is PileState.Ready or PileState.Closed);

    private static Task WriteAsync(HttpContext context, HealthReport report, bool isGood)
    {
        if (!isGood)
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        return JsonAnswer.WriteAsync(context, report, HealthJson.Default.HealthReport);
    }
}

/// <summary>Writes health reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(HealthReport))]
internal sealed partial class HealthJson : JsonSerializerContext;
