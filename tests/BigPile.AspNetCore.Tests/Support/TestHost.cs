using System;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace BigPile.AspNetCore.Tests.Support;

/// <summary>A host without a web server.</summary>
internal sealed class TestHost : IAsyncDisposable
{
    private TestHost(IHost host) => Host = host;

    internal IHost Host { get; }

    internal IServiceProvider Services => Host.Services;

    /// <summary>Makes a host that is not started.</summary>
    internal static TestHost Make(Action<IServiceCollection> configure)
    {
        HostApplicationBuilder builder =
            Microsoft.Extensions.Hosting.Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        configure(builder.Services);
        return new TestHost(builder.Build());
    }

    /// <summary>Starts a host; all its piles are open.</summary>
    internal static async Task<TestHost> StartAsync(Action<IServiceCollection> configure)
    {
        TestHost host = Make(services =>
        {
            configure(services);
            services.PostConfigureAll<BigPileOptions>(Wait);
        });
        try
        {
            await host.Host.StartAsync();
        }
        catch
        {
            host.Host.Dispose();
            throw;
        }
        return host;
    }

    internal T Service<T>(object? key = null) where T : notnull => Services.GetRequiredKeyedService<T>(key);

    /// <summary>Has the start wait for the pile: on a busy machine it would not wait long enough.</summary>
    internal static void Wait(BigPileOptions options) => options.StartWait = TimeSpan.FromMinutes(5);

    internal static void Small(BigPileOptions options) => options.SegmentBytes = 4 << 20;

    public async ValueTask DisposeAsync()
    {
        await Host.StopAsync();
        Host.Dispose();
    }
}
