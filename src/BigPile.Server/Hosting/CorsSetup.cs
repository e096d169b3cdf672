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

/// <summary>Lets browsers give what is answered to pages of the origins that the settings name (CORS, fetch.spec.whatwg.org).</summary>
/// <remarks>
/// What a page may do is left to its key, which a browser does not send by itself: so any method and header may be asked for, and a page
/// reads every header. Nothing is said of cookies, which mean nothing here.
/// </remarks>
/// <param name="origins">The origins; <c>*</c>: all. Which one asks is said back to it, so that caches keep answers by origin.</param>
internal sealed class CorsSetup(IReadOnlyList<string> origins)
{
    // For so long a browser need not ask again whether it may.
    private static readonly TimeSpan PreflightMaxAge = TimeSpan.FromMinutes(10);

    internal void AddTo(IServiceCollection services) => services.AddCors(cors => cors.AddDefaultPolicy(Describe));

    internal void UseIn(WebApplication app)
    {
        app.Use((context, next) =>
        {
            if (!IsServed(context.Request.Headers.Origin)) // for the others the framework says so
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
