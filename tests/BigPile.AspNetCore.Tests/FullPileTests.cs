using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tests;

/// <summary>What the caches do with a value that the full pile refuses, or their table at its limit, and what is told of it.</summary>
public sealed class FullPileTests : IAsyncLifetime
{
    private const long PileBytes = 8 << 20;

    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);
    private static readonly DistributedCacheEntryOptions Plain = new();

    private readonly ManualTime _time = new();
    private readonly KeptLog _log = new();
    private TestHost _host = null!;

    private PileCache Cache => _host.Service<PileHost>().Cache;

    public async Task InitializeAsync() => _host = await TestHost.StartAsync(services =>
    {
        services.AddSingleton<TimeProvider>(_time);
        services.AddLogging(logging => logging.AddProvider(_log));
        services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.MaxBytes = PileBytes;
        }).AsHybridCache().AsDistributedCache().AsOutputCacheStore().WithHealthCheck();
    });

    public async Task DisposeAsync()
    {
        await _host.DisposeAsync();
        _log.Dispose();
    }

    [Fact]
    public async Task The_health_is_degraded_for_a_minute_after_a_put_was_refused()
    {
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync()).Status);
        for (int i = 0; i < 3; i++)
            Assert.Throws<PileFullException>(() => Cache.Pile.Put(new byte[PileBytes]));
        HealthReportEntry entry = await CheckAsync();
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.StartsWith(
            "The pile is full, and has refused 3 puts, the last 0 s ago. No space for", entry.Description, StringComparison.Ordinal);
        Assert.Contains("the limit is 8,388,608 bytes. Raise PileOptions.MaxBytes", entry.Description, StringComparison.Ordinal);
        _time.Advance(Minute - TimeSpan.FromTicks(1));
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync()).Status);
        _time.Advance(TimeSpan.FromTicks(1));
        entry = await CheckAsync();
        Assert.Equal(HealthStatus.Healthy, entry.Status);
        Assert.Equal(3L, entry.Data["refusedPuts"]);
    }

    [Fact]
    public async Task A_hybrid_cache_gives_out_what_it_cant_keep_and_the_log_has_one_line()
    {
        HybridCache cache = _host.Service<HybridCache>();
        await cache.SetAsync("old", "old");
        Fill();
        await Eventually.TrueAsync(() => !_log.Lines.IsEmpty);
        for (int i = 0; i < 50; i++)
        {
            string made = new('x', 2_000);
            Assert.Equal(made, await cache.GetOrCreateAsync($"k{i}", _ => new ValueTask<string>(made)));
            Assert.Equal(i, (await cache.GetOrCreateAsync($"p{i}", _ => new ValueTask<Poco>(new Poco { Number = i, Text = made }))).Number);
        }
        await cache.SetAsync("old", new string('x', 20_000));
        Assert.Equal("new", await cache.GetOrCreateAsync("old", static _ => new ValueTask<string>("new")));
        Assert.Single(_log.Lines);
        _time.Advance(Minute);
        await Eventually.TrueAsync(() => _log.Lines.Count > 2);
        Assert.Equal(3, _log.Lines.Count);
        Assert.Equal(2, _log.Lines.Count(static line => line.Contains("as the pile is full", StringComparison.Ordinal)));
        Assert.Single(_log.Lines, static line => line.Contains("above all by objects outside of tables", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_second_level_that_is_a_full_pile_has_no_lines_of_its_own()
    {
        using var log = new KeptLog();
        using ILoggerFactory loggers = LoggerFactory.Create(logging => logging.AddProvider(log));
        using var pile = new PileCache(new Pile(), new PileCacheOptions { OwnsPile = true });
        var cache = new PileHybridCache(
            pile, secondLevel: _host.Service<IDistributedCache>(), logger: new Logger<PileHybridCache>(loggers));
        Fill();
        string made = new('x', 20_000);
        await cache.SetAsync("k", made);
        Assert.Equal(made, await cache.GetOrCreateAsync("k", static _ => new ValueTask<string>("other")));
        await cache.RemoveByTagAsync("tag");
        Assert.Empty(log.Lines);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_output_cache_serves_no_older_response_than_the_one_it_cant_keep(bool isTableFull)
    {
        IOutputCacheStore store = _host.Service<IOutputCacheStore>();
        await store.SetAsync("k", [1], null, Minute, default);
        long bytes = isTableFull ? Limit("output-cache") : FillAndSay();
        await store.SetAsync("k", new byte[bytes], null, Minute, default);
        Assert.Null(await store.GetAsync("k", default));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_distributed_cache_says_what_the_pile_refuses_and_keeps_the_old_value(bool isAsync)
    {
        IDistributedCache cache = _host.Service<IDistributedCache>();
        await SetAsync(cache, [1], isAsync);
        long bytes = FillAndSay();
        await Assert.ThrowsAsync<PileFullException>(() => SetAsync(cache, new byte[bytes], isAsync));
        Assert.Equal([1], cache.Get("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_distributed_cache_at_its_own_limit_drops_the_value_and_the_old_one(bool isAsync)
    {
        IDistributedCache cache = _host.Service<IDistributedCache>();
        await SetAsync(cache, [1], isAsync);
        await SetAsync(cache, new byte[Limit("distributed-cache")], isAsync);
        Assert.Null(cache.Get("k"));
    }

    /// <summary>The removal can't be recorded in the full pile, so all older values of the second level count as missing.</summary>
    [Fact]
    public async Task A_second_level_that_fails_beside_a_full_pile_brings_no_old_value_back()
    {
        var second = new RecordedLevel();
        var options = new PileHybridCacheOptions { Table = new TableOptions("h") { CollisionMode = CollisionMode.Durable } };
        var cache = new PileHybridCache(Cache, options, second, _time);
        await cache.SetAsync("k", "old");
        Fill();
        _time.Advance(TimeSpan.FromSeconds(1));
        second.FailsToWrite = true;
        await cache.SetAsync("k", new string('x', 20_000)); // neither level keeps it
        Assert.Equal("new", await cache.GetOrCreateAsync("k", static _ => new ValueTask<string>("new")));
        _time.Advance(TimeSpan.FromSeconds(1));
        second.FailsToWrite = false;
        await cache.SetAsync("k", "newer");
        Assert.Equal("newer", await cache.GetOrCreateAsync("k", static _ => new ValueTask<string>("wrong")));
    }

    private async Task<HealthReportEntry> CheckAsync() =>
        (await _host.Service<HealthCheckService>().CheckHealthAsync()).Entries["bigpile"];

    private static async Task SetAsync(IDistributedCache cache, byte[] value, bool isAsync)
    {
        if (isAsync)
            await cache.SetAsync("k", value, Plain);
        else
            cache.Set("k", value, Plain);
    }

    /// <summary>Gives a table a limit.</summary>
    /// <returns>More bytes than fit into it.</returns>
    private long Limit(string table)
    {
        Cache.TryGetTable(table, out CacheTable<string, byte[]>? found);
        found!.Configure(found.Options with { MaxBytes = 1 << 20 });
        return 1 << 20;
    }

    private long FillAndSay()
    {
        Fill();
        return 20_000;
    }

    // With objects of no table, to which nothing gives way: until not even a small one fits.
    private void Fill()
    {
        foreach (int size in (int[])[100_000, 10_000, 1_000, 200, 100, 60, 40, 20, 8])
            Assert.Throws<PileFullException>(() => FillWith(size));
    }

    private void FillWith(int bytes)
    {
        while (true)
            Cache.Pile.Put(new byte[bytes]);
    }
}
