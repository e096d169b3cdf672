using System;
using BigPile.AspNetCore.Hosting;
using BigPile.Http.Limits;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Http;

/// <summary>Finds what an application has registered, and names the call that is missing.</summary>
internal static class Registered
{
    /// <summary>The pile that is served.</summary>
    /// <exception cref="InvalidOperationException">There is none, or nothing to serve it with.</exception>
    internal static PileHost HostOf(IServiceProvider services)
    {
        PileHost host =
            services.GetService<PileHost>() ?? throw new InvalidOperationException("There is no pile to serve; call AddBigPile first.");
        return services.GetService<RequestLimits>() == null
            ? throw new InvalidOperationException("There is nothing to serve the pile with; call AddBigPileHttp first.")
            : host;
    }
}
