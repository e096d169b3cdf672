using System;
using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Metrics;
using System.Linq;
using BigPile;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Configuration;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers piles with an application.</summary>
[RequiresUnreferencedCode(
    "Objects and options are found by reflection: publish without <PublishTrimmed>, or with <TrimMode>partial</TrimMode>.")]
[RequiresDynamicCode(
    "Objects are stored by descriptions of types that Native AOT does not keep: publish with <PublishReadyToRun> instead of <PublishAot>.")]
public static class BigPileServiceCollectionExtensions
{
    /// <summary>Registers the application's pile, which opens when the host starts and closes when it stops.</summary>
    /// <remarks>
    /// <see cref="PileCache"/> and its tables are services. A service that is created before the host starts opens the pile and waits until
    /// it is ready. After the pile is closed, resolving them throws <see cref="InvalidOperationException"/>. Options are checked when the
    /// host starts.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets the options; a pile in native memory when left out.</param>
    /// <returns>What adds tables and caches to the pile.</returns>
    public static BigPileBuilder AddBigPile(this IServiceCollection services, Action<BigPileOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        Configure(services, Options.Options.DefaultName, configure);
        services.TryAddSingleton(static provider => PlanOf(provider, provider.GetRequiredService<IOptions<BigPileOptions>>().Value));
        services.TryAddSingleton<PileOpener>();
        if (NeedsHost(services, null))
        {
            services.AddSingleton<PileHost>();
            services.AddSingleton<IHostedService>(static provider => provider.GetRequiredService<PileHost>());
        }
        // A singleton: a container disposes what it created with the scope that asked, and the cache must outlive every request.
        services.TryAddSingleton(static provider => provider.GetRequiredService<PileHost>().OpenedCache());
        return new BigPileBuilder(services, Options.Options.DefaultName);
    }

    /// <summary>Registers the application's pile, with its options from the configuration.</summary>
    /// <remarks>
    /// Sizes may be written as <c>8g</c>. An unknown key keeps the host from starting; the message names the option that was probably
    /// meant.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="configuration">
    /// The section with the options, named like the properties of <see cref="BigPileOptions"/>, and nothing else. It is read once.
    /// </param>
    /// <param name="configure">Sets what the configuration can't say, or what is to count in its place.</param>
    /// <returns>What adds tables and caches to the pile.</returns>
    public static BigPileBuilder AddBigPile(
        this IServiceCollection services, IConfiguration configuration, Action<BigPileOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        return services.AddBigPile(Reading(configuration, configure));
    }

    /// <summary>
    /// Registers one more pile, with its options from the configuration. What belongs to it is a service with the pile's name as its key.
    /// </summary>
    /// <inheritdoc cref="AddBigPile(IServiceCollection, IConfiguration, Action{BigPileOptions})"/>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The pile's name.</param>
    /// <param name="configuration">The section of this pile.</param>
    /// <param name="configure">Sets what the configuration can't say, or what is to count in its place.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static BigPileBuilder AddBigPile(
        this IServiceCollection services, string name, IConfiguration configuration, Action<BigPileOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        return services.AddBigPile(name, Reading(configuration, configure));
    }

    /// <summary>Registers one more pile. What belongs to it is a service with the pile's name as its key.</summary>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The pile's name.</param>
    /// <param name="configure">Sets the options; a pile in native memory when left out.</param>
    /// <returns>What adds tables and caches to the pile.</returns>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static BigPileBuilder AddBigPile(this IServiceCollection services, string name, Action<BigPileOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        Configure(services, name, configure);
        if (NeedsHost(services, name))
        {
            services.AddKeyedSingleton(name, static (provider, key) => MakeHost(provider, (string)key!));
            services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<PileHost>(name));
        }
        services.TryAddKeyedSingleton(name, static (provider, key) => provider.GetRequiredKeyedService<PileHost>(key).OpenedCache());
        return new BigPileBuilder(services, name);
    }

    private static Action<BigPileOptions> Reading(IConfiguration configuration, Action<BigPileOptions>? configure) => options =>
    {
        ConfiguredOptions.Bind(configuration, options);
        configure?.Invoke(options);
    };

    private static void Configure(IServiceCollection services, string name, Action<BigPileOptions>? configure)
    {
        services.AddOptionsWithValidateOnStart<BigPileOptions>(name).Configure(configure ?? (static _ => { }));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<BigPileOptions>, BigPileOptionsValidator>());
        services.TryAddSingleton(TimeProvider.System);
    }

    private static bool NeedsHost(IServiceCollection services, string? name) =>
        !services.Any(service => service.ServiceType == typeof(PileHost) && Equals(service.ServiceKey, name));

    private static PileHost MakeHost(IServiceProvider provider, string name)
    {
        PilePlan plan = PlanOf(provider, provider.GetRequiredService<IOptionsMonitor<BigPileOptions>>().Get(name));
        return new PileHost(
            new PileOpener(plan), plan, provider.GetRequiredService<IHostApplicationLifetime>(),
            provider.GetRequiredService<TimeProvider>(),
            provider.GetRequiredService<ILogger<PileHost>>());
    }

    private static PilePlan PlanOf(IServiceProvider provider, BigPileOptions options) =>
        options.ToPlan(
            provider.GetRequiredService<TimeProvider>(), provider.GetRequiredService<ILogger<Pile>>(), provider.GetService<IMeterFactory>(),
            provider.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping);
}
