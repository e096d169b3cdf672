using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace BigPile.Http.Console;

/// <summary>Serves the console: files from the assembly, which use the service as any client does.</summary>
/// <remarks>
/// Its Content-Security-Policy allows only resources of this server: no inline script or style, no other host, no framing. So even injected
/// markup would do nothing. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ConsolePage
{
    internal const string SecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    // Read at the first request: the start need not wait.
    private readonly Lazy<Dictionary<string, ConsoleAsset>> _assets = new(ConsoleAsset.ReadAll);

    internal Task IndexAsync(HttpContext context) => SendAsync(context, ConsoleAsset.IndexName);

    internal Task FileAsync(HttpContext context) => SendAsync(context, (string?)context.GetRouteValue("file") ?? "");

    private Task SendAsync(HttpContext context, string name)
    {
        if (!_assets.Value.TryGetValue(name, out ConsoleAsset? asset))
            return ProblemResponse.WriteAsync(context, ProblemCatalog.RouteNotFound);
        HttpResponse response = context.Response;
        response.Headers.ETag = asset.Tag;
        response.Headers.CacheControl = "no-cache"; // cached, and revalidated each time: an upgrade shows at once
        response.Headers.ContentSecurityPolicy = SecurityPolicy;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers["Referrer-Policy"] = "no-referrer";
        response.Headers["Cross-Origin-Opener-Policy"] = "same-origin";
        if (EntityTag.IsNamedBy(context.Request.Headers.IfNoneMatch, asset.Tag))
        {
            response.StatusCode = StatusCodes.Status304NotModified;
            return Task.CompletedTask;
        }
        response.ContentType = asset.ContentType;
        response.ContentLength = asset.Body.Length;
        return response.Body.WriteAsync(asset.Body, 0, asset.Body.Length, context.RequestAborted);
    }
}
