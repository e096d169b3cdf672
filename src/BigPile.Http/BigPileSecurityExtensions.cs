using System;
using System.Collections.Generic;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Requires API keys.</summary>
public static class BigPileSecurityExtensions
{
    /// <summary>Registers the API keys. <see cref="UseBigPileKeys"/> then requires them.</summary>
    /// <param name="services">The application's services.</param>
    /// <param name="keys">The keys; with none, every request is allowed.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentException">A key is invalid; thrown when the host starts.</exception>
    public static IServiceCollection AddBigPileKeys(this IServiceCollection services, IEnumerable<BigPileKey> keys)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(keys);
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton(new AccessRules(AdminPort: null));
        services.AddSingleton(provider => new KeyRing(keys, provider.GetRequiredService<TimeProvider>()));
        services.Replace(ServiceDescriptor.Singleton<IEntryGuard>(static provider => provider.GetRequiredService<KeyRing>()));
        return services;
    }

    /// <summary>
    /// Refuses requests without a sufficient key with 401, 403 or 429. Call it first, before <c>UseBigPileEntries</c>. It requires a key
    /// for all requests of the application that pass here, except reads of <c>/</c>, <c>/console/</c> and <c>/health/</c>.
    /// </summary>
    /// <param name="app">The application.</param>
    /// <returns><paramref name="app"/>.</returns>
    public static IApplicationBuilder UseBigPileKeys(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        return app.UseMiddleware<KeyMiddleware>(
            app.ApplicationServices.GetRequiredService<KeyRing>(), app.ApplicationServices.GetRequiredService<AccessRules>());
    }
}
