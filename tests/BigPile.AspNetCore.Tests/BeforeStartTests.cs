using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tests;

/// <summary>What an application's services have of the pile before the host starts.</summary>
public sealed class BeforeStartTests
{
    /// <summary>Hosted services are made before any of them starts, and may be registered before the pile.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData("named")]
    public async Task A_hosted_service_is_given_the_pile_and_its_tables(string? name)
    {
        using var directory = new TemporaryDirectory();
        void Configure(IServiceCollection services)
        {
            services.AddHostedService(provider => new Filler(
                provider.GetRequiredKeyedService<PileCache>(name), provider.GetRequiredKeyedService<CacheTable<string, Poco>>(name)));
            BigPileBuilder pile = name == null
                ? services.AddBigPile(Options) : services.AddBigPile(name, Options);
            pile.AddTable<string, Poco>("people");
        }

        void Options(BigPileOptions options)
        {
            TestHost.Small(options);
            options.Directory = directory.Path;
        }

        for (int start = 0; start < 2; start++)
        {
            await using TestHost host = await TestHost.StartAsync(Configure);
            CacheTable<string, Poco> people = host.Service<CacheTable<string, Poco>>(name);
            Assert.Equal(start + 1, people.Get("made").Number);
            Assert.Equal(PileState.Ready, host.Service<PileHost>(name).State);
        }
    }

    [Fact]
    public async Task A_pile_that_a_service_opened_closes_though_the_host_never_starts()
    {
        TestHost host = TestHost.Make(static services => services.AddBigPile(TestHost.Small).AddTable<string, int>("t"));
        CacheTable<string, int> table = host.Service<CacheTable<string, int>>();
        table.Put("k", 1);
        PileHost pile = host.Service<PileHost>();
        host.Host.Dispose();
        Assert.Equal(PileState.Closed, pile.State);
        Assert.Throws<ObjectDisposedException>(() => table.Get("k"));
        Assert.Throws<InvalidOperationException>(pile.OpenedCache);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await pile.WaitForCacheAsync(default));
    }

    [Fact]
    public void A_pile_that_can_not_be_opened_says_so_to_whoever_asks()
    {
        using var directory = new TemporaryDirectory();
        using Pile other = Pile.Open(directory.Path, new PileOptions { SegmentBytes = 4 << 20 });
        TestHost host = TestHost.Make(services => services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Directory = directory.Path;
        }));
        Assert.Throws<PileStorageException>(() => host.Service<PileCache>());
        Assert.Throws<PileStorageException>(() => host.Service<PileCache>());
        host.Host.Dispose();
    }

    /// <summary>Who can wait without a thread does so; a call that can't is told what is missing.</summary>
    [Fact]
    public async Task Caches_open_the_pile_for_asynchronous_calls()
    {
        await using TestHost host =
            TestHost.Make(static services => services.AddBigPile(TestHost.Small).AsDistributedCache().AsHybridCache());
        IDistributedCache cache = host.Service<IDistributedCache>();
        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => cache.Get("k"));
        Assert.Contains("opens when the host starts", error.Message, StringComparison.Ordinal);
        await host.Service<HybridCache>().SetAsync("k", 1);
        Assert.Null(await cache.GetAsync("k"));
        Assert.Null(cache.Get("k")); // the same object, once the pile is open
        await host.Host.StartAsync();
        Assert.Equal(1, await host.Service<HybridCache>().GetOrCreateAsync("k", static _ => new ValueTask<int>(2)));
    }

    /// <summary>Nobody would close it.</summary>
    [Fact]
    public async Task A_cache_that_outlives_its_host_opens_no_pile()
    {
        TestHost host = TestHost.Make(static services => services.AddBigPile(TestHost.Small).AsDistributedCache());
        IDistributedCache cache = host.Service<IDistributedCache>();
        PileHost pile = host.Service<PileHost>();
        host.Host.Dispose();
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => cache.GetAsync("k"));
        Assert.Contains("The pile is not open", error.Message, StringComparison.Ordinal);
        Assert.Equal(PileState.Closed, pile.State);
        Assert.Null(pile.Opened);
    }

    [Fact]
    public void Many_that_ask_at_once_have_one_pile()
    {
        using TemporaryDirectory directory = new();
        TestHost host = TestHost.Make(services => services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Directory = directory.Path;
        }));
        PileHost pile = host.Service<PileHost>();
        var found = new PileCache[4];
        Parallel.For(0, found.Length, i => found[i] = pile.OpenedCache());
        Assert.All(found, one => Assert.Same(found[0], one));
        host.Host.Dispose();
    }

    /// <summary>Whatever the order in which they were added: that one stops last which was added first.</summary>
    [Fact]
    public async Task The_pile_is_there_while_hosted_services_stop()
    {
        using var directory = new TemporaryDirectory();
        TestHost host = await TestHost.StartAsync(services =>
        {
            services.AddHostedService<LastPut>();
            services.AddBigPile(options =>
            {
                TestHost.Small(options);
                options.Directory = directory.Path;
            }).AddTable<string, int>("t");
        });
        await host.DisposeAsync();
        using Pile again = Pile.Open(directory.Path);
        Assert.True(again.Recovery.WasClean);
        using var cache = new PileCache(again, new PileCacheOptions { WaitsUntilReady = true });
        Assert.Equal(1, cache.GetOrCreateTable<string, int>("t").Get("last"));
    }

    [Fact]
    public async Task A_host_that_waits_for_another_process_can_be_stopped()
    {
        using var directory = new TemporaryDirectory();
        using Pile other = Pile.Open(directory.Path, new PileOptions { SegmentBytes = 4 << 20 });
        var log = new KeptLog(LogLevel.Information);
        TestHost host = TestHost.Make(services => services.AddLogging(logging => logging.AddProvider(log)).AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Directory = directory.Path;
            options.StartWait = TimeSpan.Zero;
            options.OpenTimeout = TimeSpan.FromHours(1);
        }));
        await host.Host.StartAsync();
        InvalidOperationException refusal = Assert.Throws<InvalidOperationException>(() => host.Service<PileCache>());
        Assert.Contains("still being opened", refusal.Message, StringComparison.Ordinal);
        PileHost pile = host.Service<PileHost>();
        await host.DisposeAsync();
        Assert.Equal(PileState.Failed, pile.State);
        Assert.Contains(log.Lines, line => line.Contains($"in use by process {Environment.ProcessId}; waiting", StringComparison.Ordinal));
    }

    private sealed class LastPut(CacheTable<string, int> table) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken)
        {
            table.Put("last", 1);
            return Task.CompletedTask;
        }
    }

    private sealed class Filler(PileCache cache, CacheTable<string, Poco> table) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            Assert.Same(table, cache.GetOrCreateTable<string, Poco>("people"));
            table.Put("made", new Poco { Number = table.TryGet("made", out Poco? last) ? last.Number + 1 : 1 });
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
