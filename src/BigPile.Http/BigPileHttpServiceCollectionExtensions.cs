using System;
using System.Diagnostics.Metrics;
using BigPile.Http;
using BigPile.Http.Bulk;
using BigPile.Http.FastPath;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the HTTP service of an application's pile.</summary>
public static class BigPileHttpServiceCollectionExtensions
{
    /// <summary>Registers the HTTP services for the application's pile, with their limits. <c>AddBigPile</c> registers the pile.</summary>
    /// <remarks>
    /// Map what is served with <c>MapBigPile</c>, <c>MapTable</c>, <c>UseBigPileEntries</c> and <c>UseBigPileFastReads</c>. Options are
    /// validated when the host starts.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns><paramref name="services"/>.</returns>
    public static IServiceCollection AddBigPileHttp(this IServiceCollection services, Action<BigPileHttpOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddOptionsWithValidateOnStart<BigPileHttpOptions>().Configure(configure ?? (static _ => { }));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<BigPileHttpOptions>, BigPileHttpOptionsValidator>());
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton(static provider => OptionsOf(provider).ToLimits());
        services.TryAddSingleton(static provider => OptionsOf(provider).ToQuota());
        services.TryAddSingleton(static _ => ExpensiveWork.ForThisMachine());
        services.TryAddSingleton(static provider =>
            new ClientWaits(provider.GetRequiredService<TimeProvider>(), provider.GetService<IHostApplicationLifetime>()));
        services.TryAddSingleton<OperationStore>();
        services.TryAddSingleton<EntryLatency>();
        services.TryAddSingleton<IEntryGuard, OpenGuard>();
        services.TryAddSingleton(static provider => new FastPathCounters(provider.GetService<IMeterFactory>()));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IStartupFilter, ResponseCompletionFilter>());
        return services;
    }

    private static BigPileHttpOptions OptionsOf(IServiceProvider provider) =>
        provider.GetRequiredService<IOptions<BigPileHttpOptions>>().Value;
}
