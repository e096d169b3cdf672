using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace BigPile.Server.Hosting;

/// <summary>Lets pages of the configured origins read responses in a browser (CORS, fetch.spec.whatwg.org).</summary>
/// <remarks>
/// The API key decides what a page may do, and a browser does not send it by itself: so all methods and headers are allowed, and a page may
/// read every header. Responses do not allow credentials: cookies mean nothing here.
/// </remarks>
/// <param name="origins">
/// The origins; <c>*</c>: all. The response names the requesting origin and varies by it, so that caches keep responses apart.
/// </param>
internal sealed class CorsSetup(IReadOnlyList<string> origins)
{
    // How long a browser may cache a preflight response.
    private static readonly TimeSpan PreflightMaxAge = TimeSpan.FromMinutes(10);

    internal void AddTo(IServiceCollection services) => services.AddCors(cors => cors.AddDefaultPolicy(Describe));

    internal void UseIn(WebApplication app)
    {
        app.Use((context, next) =>
        {
            if (!IsServed(context.Request.Headers.Origin)) // for served origins the framework adds it
                context.Response.Headers.Append(HeaderNames.Vary, HeaderNames.Origin);
            return next(context);
        });
        app.UseCors();
    }

    private void Describe(CorsPolicyBuilder policy) =>
        policy.AllowAnyMethod().AllowAnyHeader().WithExposedHeaders("*").SetPreflightMaxAge(PreflightMaxAge)
            .SetIsOriginAllowed(origin => IsServed(origin));

    private bool IsServed(StringValues origin) =>
        origin is [{ } one] && (origins.Contains(ClientRules.Any) || origins.Contains(one, StringComparer.OrdinalIgnoreCase));
}
