using System;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a pile with an application.</summary>
public static class BigPileServiceCollectionExtensions
{
    /// <summary>Registers a pile that opens when the host starts and closes when it stops.</summary>
    /// <remarks>
    /// Once the pile is ready, <see cref="PileCache"/> is a service; before that, asking for it throws
    /// <see cref="InvalidOperationException"/>.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets the options; a pile in native memory when left out.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddBigPile(this IServiceCollection services, Action<BigPileOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddOptions<BigPileOptions>()
            .Configure(configure ?? (static _ => { }))
            .Validate(
                static options => options.MaxBodyBytes is > 0 and <= BigPileOptions.LargestMaxBodyBytes,
                $"BigPileOptions.MaxBodyBytes must be from 1 to {BigPileOptions.LargestMaxBodyBytes:N0}.")
            .Validate(static options => options.StartWait >= TimeSpan.Zero, "BigPileOptions.StartWait must not be negative.")
            .ValidateOnStart();
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton<PileOpener>();
        services.TryAddSingleton<PileHost>();
        services.AddHostedService(static provider => provider.GetRequiredService<PileHost>());
        // A singleton also because a container disposes what it made with the scope that asked, and this must outlive every request.
        services.TryAddSingleton(static provider => provider.GetRequiredService<PileHost>().Tables?.Cache
            ?? throw new InvalidOperationException("The pile is not open. It opens when the host starts; see /health/ready."));
        return services;
    }
}
