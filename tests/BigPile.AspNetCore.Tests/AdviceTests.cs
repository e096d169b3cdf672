using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tests;

/// <summary>A host says at its start which settings don't fit together, each once.</summary>
public sealed class AdviceTests : IDisposable
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly ManualTime _time = new();
    private readonly KeptLog _log = new(categories: "BigPile");

    public void Dispose() => _log.Dispose();

    [Fact]
    public async Task Settings_that_an_adapter_does_not_use_are_said_at_the_start()
    {
        await using TestHost host = await StartAsync(static pile => pile
            .AsHybridCache(static options => options.Table = TestCache.Durable("hybrid") with { DefaultMaxAge = Minute })
            .AsOutputCacheStore(TestCache.Durable("output") with { DefaultMaxAge = Minute })
            .AsDistributedCache(TestCache.Durable("sessions") with { DefaultMaxAge = Minute }));
        Assert.Equal(2, _log.Lines.Count);
        Assert.Contains("'hybrid' has a default age of 00:01:00, which its Hybrid", _log.Lines.First(), StringComparison.Ordinal);
        Assert.Contains("Set PileHybridCacheOptions.DefaultEntryOptions", _log.Lines.First(), StringComparison.Ordinal);
        Assert.Contains("'output'", _log.Lines.Last(), StringComparison.Ordinal);
        Assert.Contains("Set OutputCacheOptions.DefaultExpirationTimeSpan", _log.Lines.Last(), StringComparison.Ordinal);
        Sweep();
        Assert.Equal(2, _log.Lines.Count);
    }

    [Fact]
    public async Task Settings_of_pile_and_tables_are_said_with_the_first_sweep_and_once()
    {
        await using TestHost host = await StartAsync(static pile => pile
            .AddTable<string, int>(TestCache.Durable("sliding") with { DefaultSliding = Minute })
            .AsHybridCache(static options => options.Table = TestCache.Durable("hybrid") with { MaxBytes = 1 << 30 }));
        Sweep();
        Assert.Equal(host.Service<PileCache>().Advice(), _log.Lines);
        Assert.Equal(2, _log.Lines.Count);
        _ = host.Service<CacheTable<string, int>>();
        _ = host.Service<PileCache>().GetOrCreateTable<string, int>("later");
        Sweep();
        Assert.Equal(2, _log.Lines.Count);
    }

    [Fact]
    public async Task Settings_that_fit_together_say_nothing()
    {
        await using TestHost host = await StartAsync(static pile => pile.AddTable<string, int>("t").AsHybridCache().AsDistributedCache()
            .AsOutputCacheStore());
        Sweep();
        Assert.Empty(_log.Lines);
    }

    private void Sweep() => _time.Advance(TimeSpan.FromSeconds(1));

    private Task<TestHost> StartAsync(Action<BigPileBuilder> configure) => TestHost.StartAsync(services =>
    {
        services.AddSingleton<TimeProvider>(_time);
        services.AddLogging(logging => logging.AddProvider(_log));
        configure(services.AddBigPile(static options =>
        {
            TestHost.Small(options);
            options.MaxBytes = 64 << 20;
        }));
    });
}
