using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
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
        TestHost host = Make(configure);
        try
        {
            await host.Host.StartAsync();
            foreach (IHostedService service in host.Services.GetServices<IHostedService>())
            {
                if (service is PileHost pile)
                    await pile.Opening; // on a busy machine the start does not wait long enough
            }
        }
        catch
        {
            host.Host.Dispose();
            throw;
        }
        return host;
    }

    internal T Service<T>(object? key = null) where T : notnull => Services.GetRequiredKeyedService<T>(key);

    internal static void Small(BigPileOptions options) => options.SegmentBytes = 4 << 20;

    public async ValueTask DisposeAsync()
    {
        await Host.StopAsync();
        Host.Dispose();
    }
}
