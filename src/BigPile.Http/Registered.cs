using System;
using BigPile.AspNetCore.Hosting;
using BigPile.Http.Limits;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Http;

/// <summary>Resolves required services; the exception names the missing registration.</summary>
internal static class Registered
{
    /// <summary>The host of the pile that is served.</summary>
    /// <exception cref="InvalidOperationException"><c>AddBigPile</c> or <c>AddBigPileHttp</c> was not called.</exception>
    internal static PileHost HostOf(IServiceProvider services)
    {
        PileHost host =
            services.GetService<PileHost>() ?? throw new InvalidOperationException("There is no pile to serve; call AddBigPile first.");
        return services.GetService<RequestLimits>() == null
            ? throw new InvalidOperationException("There is nothing to serve the pile with; call AddBigPileHttp first.")
            : host;
    }
}
