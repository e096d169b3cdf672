using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore.Tests;

public sealed class RegistrationTests
{
    [Fact]
    public async Task The_pile_and_its_plugs_are_services()
    {
        await using TestHost host = await TestHost.StartAsync(static services =>
        {
            services.AddDistributedMemoryCache(); // what was there before gives way
            services.AddOutputCache();
            services.AddBigPile(TestHost.Small).AddTable<string, Poco>("people").AsDistributedCache().AsHybridCache().AsOutputCacheStore();
            services.AddDistributedMemoryCache();
            services.AddOutputCache();
        });
        IDistributedCache distributed = host.Service<IDistributedCache>();
        Assert.IsAssignableFrom<IBufferDistributedCache>(distributed);
        Assert.Same(host.Service<PileDistributedCache>(), distributed);
        Assert.Same(host.Service<PileHybridCache>(), host.Service<HybridCache>());
        Assert.IsAssignableFrom<IOutputCacheBufferStore>(host.Service<IOutputCacheStore>());
        CacheTable<string, Poco> people = host.Service<CacheTable<string, Poco>>();
        Assert.Same(people, host.Service<CacheTable<string, Poco>>("people"));
        Assert.Same(people, host.Service<PileCache>().GetOrCreateTable<string, Poco>("people"));
        Assert.Equal(["distributed-cache", "hybrid-cache", "output-cache", "people"], host.Service<PileCache>().TableNames);

        distributed.Set("k", [1], new());
        Assert.Equal(7, await host.Service<HybridCache>().GetOrCreateAsync("k", static _ => new ValueTask<int>(7)));
        await host.Service<IOutputCacheStore>().SetAsync("k", [3], null, TimeSpan.FromMinutes(1), default);
        Assert.Equal(new byte[] { 1 }, distributed.Get("k"));
        Assert.Equal(new byte[] { 3 }, await host.Service<IOutputCacheStore>().GetAsync("k", default));
    }

    [Fact]
    public async Task Named_piles_have_services_by_their_names_and_nothing_in_common()
    {
        await using TestHost host = await TestHost.StartAsync(static services =>
        {
            services.AddBigPile(TestHost.Small).AsDistributedCache().AsHybridCache();
            services.AddBigPile(
                "one", TestHost.Small).AddTable<long, string>("t").AsDistributedCache().AsHybridCache().AsOutputCacheStore();
            services.AddBigPile("two", TestHost.Small).AddTable<long, string>("t").AsDistributedCache();
        });
        Assert.Equal(3, new[] { null, "one", "two" }.Select(host.Service<PileCache>).Distinct().Count());
        host.Service<IDistributedCache>("one").Set("k", [1], new());
        Assert.Null(host.Service<IDistributedCache>().Get("k"));
        Assert.Null(host.Service<IDistributedCache>("two").Get("k"));
        Assert.NotSame(host.Service<HybridCache>(), host.Service<HybridCache>("one"));
        Assert.Null(host.Services.GetKeyedService<HybridCache>("two"));
        Assert.NotNull(host.Service<IOutputCacheStore>("one"));
        host.Service<CacheTable<long, string>>("one").Put(5, "five");
        Assert.Equal("five", host.Service<CacheTable<long, string>>("one/t").Get(5));
        Assert.False(host.Service<CacheTable<long, string>>("two").ContainsKey(5));
    }

    [Fact]
    public async Task One_pile_can_have_several_caches_of_a_kind()
    {
        await using TestHost host = await TestHost.StartAsync(static services => services.AddBigPile(TestHost.Small)
            .AsDistributedCache().AsDistributedCache(new TableOptions("sessions"), "sessions")
            .AsHybridCache().AsHybridCache(static options => options.Table = new TableOptions("other"), "other"));
        host.Service<IDistributedCache>("sessions").Set("k", [1], new());
        Assert.Null(host.Service<IDistributedCache>().Get("k"));
        await host.Service<HybridCache>("other").SetAsync("k", 5);
        Assert.Equal(0, await host.Service<HybridCache>().GetOrCreateAsync("k", static _ => new ValueTask<int>(0)));
        Assert.Equal(1, host.Service<PileCache>().GetStatistics("other").EntryCount);
    }

    [Fact]
    public async Task A_hybrid_cache_takes_its_second_level_and_serializers_from_the_services()
    {
        var second = new RecordedBufferLevel();
        await using TestHost host = await TestHost.StartAsync(services =>
        {
            services.AddKeyedSingleton<IDistributedCache>("far", second);
            services.AddBigPile(TestHost.Small)
                .AsHybridCache(
                    static options => options.SecondLevel = static provider => provider.GetRequiredKeyedService<IDistributedCache>("far"));
        });
        await host.Service<HybridCache>().SetAsync("k", 5);
        Assert.Equal(["set k"], second.TakeAsked());
    }

    [Fact]
    public async Task Adding_a_pile_twice_adds_it_once_with_both_options()
    {
        await using TestHost host = await TestHost.StartAsync(static services =>
        {
            services.AddBigPile(TestHost.Small).AddTable<string, int>("a");
            services.AddBigPile(static options => options.MaxBytes = 64 << 20).AddTable<string, int>("b");
        });
        Assert.Single(host.Services.GetServices<IHostedService>().OfType<PileHost>());
        Assert.Equal(["a", "b"], host.Service<PileCache>().TableNames);
        Assert.Equal(64 << 20, host.Service<PileCache>().Pile.Statistics.LimitBytes);
    }

    public static TheoryData<Action<BigPileBuilder>, string> WrongOptions => new()
    {
        { Set(static options => options.SegmentBytes = 5 << 20),
            "BigPileOptions.SegmentBytes is 5,242,880; it must be a power of two from 4,194,304" },
        { Set(static options => options.MaxBytes = 5), "BigPileOptions.MaxBytes is 5; it must be at least 1,048,576" },
        { Set(static options => options.MemoryShare = 0), "BigPileOptions.MemoryShare is 0; it must be above 0 and at most 1" },
        { Set(static options => options.MemoryShare = double.NaN), "BigPileOptions.MemoryShare is NaN; it must be above 0 and at most 1" },
        { Set(static options => (options.MemoryShare, options.MaxBytes) = (0.5, 1 << 30)),
            "BigPileOptions.MaxBytes is 1,073,741,824, and BigPileOptions.MemoryShare is 0.5; a pile has one limit: leave one" },
        { Set(static options => (options.MemoryShare, options.Directory) = (0.5, "data")),
            "BigPileOptions.MemoryShare is 0.5, and BigPileOptions.Directory puts the pile in files, which no part of the memory limits" },
        { Set(static options => options.StartWait = TimeSpan.FromSeconds(-1)),
            "BigPileOptions.StartWait is -00:00:01; it must not be negative" },
        { Set(static options => options.Directory = " "), "BigPileOptions.Directory is blank; name a directory" },
        { Set(static options => options.FlushInterval = TimeSpan.Zero),
            "BigPileOptions.FlushInterval is 00:00:00; it must be above zero and at most 7" },
        { Set(static options => options.FlushInterval = TimeSpan.FromDays(8)), "BigPileOptions.FlushInterval is 8.00:00:00; it must be" },
        { Set(static options => options.FlushLogBytes = 1000),
            "BigPileOptions.FlushLogBytes is 1,000; it must be from 1,048,576 to 1,073,741,824" },
        { Set(static options => options.Name = " "), "BigPileOptions.Name is blank; give the pile a name" },
        { Set(static options => options.Store = StoreKind.Mapped),
            "BigPileOptions.Store is Mapped and BigPileOptions.Directory is null; name the directory" },
        { Set(static options => options.Store = (StoreKind)7), "BigPileOptions.Store is 7; it must be one of Managed, Native, Mapped" },
        { Set(static options => options.WarmupBytesPerSecond = -1), "BigPileOptions.WarmupBytesPerSecond is -1; it must not be negative" },
        { Set(
            static options => options.Warmup = (PileWarmup)9), "BigPileOptions.Warmup is 9; it must be one of Off, Advise, Touch, Verify" },
        { Set(static options => options.Checksums = (PileChecksums)9),
            "BigPileOptions.Checksums is 9; it must be one of Off, AtFirstUse, AtEveryRead" },
        { Set(static options => options.MaxTables = 0), "BigPileOptions.MaxTables is 0; it must be from 1 to 65,000" },
        { static pile => pile.AddTable<string, int>("*"), "TableOptions.Name is '*'; a table that is added needs a name of its own" },
        { static pile => pile.AddTable<string, int>(
            new TableOptions("t") { MaxEntries = 0 }), "TableOptions.MaxEntries of the table 't' is 0; it must be at least 1" },
        { static pile =>
            pile.AddTable<string, int>("t").AddTable<long, int>("t"), "The table 't' is added with different keys or options" },
        { static pile =>
            pile.AsDistributedCache(new TableOptions("d") { MaxBytes = 1 }), "TableOptions.MaxBytes of the table 'd' is 1" },
    };

    [Theory]
    [MemberData(nameof(WrongOptions))]
    public async Task A_wrong_option_stops_the_start_and_is_named(Action<BigPileBuilder> configure, string message)
    {
        foreach (string? name in new[] { null, "other" })
        {
            TestHost host = TestHost.Make(services => configure(name == null ? services.AddBigPile() : services.AddBigPile(name)));
            OptionsValidationException error = await Assert.ThrowsAsync<OptionsValidationException>(() => host.Host.StartAsync());
            Assert.Contains(message, error.Message, StringComparison.Ordinal);
            if (name != null)
                Assert.EndsWith("(pile 'other')", error.Message, StringComparison.Ordinal);
            host.Host.Dispose();
        }
    }

    [Fact]
    public void A_wrong_option_of_a_hybrid_cache_is_refused_where_it_is_set()
    {
        BigPileBuilder pile = new ServiceCollection().AddBigPile();
        Assert.Throws<ArgumentOutOfRangeException>(
            "MaximumKeyLength", () => pile.AsHybridCache(static options => options.MaximumKeyLength = 0));
        Assert.Throws<ArgumentException>("name", () => new ServiceCollection().AddBigPile(""));
    }

    [Fact]
    public async Task The_pile_closes_when_the_host_stops_and_all_comes_back_at_the_next_start()
    {
        using var directory = new TemporaryDirectory();
        void Configure(IServiceCollection services) => services.AddBigPile("p", options =>
        {
            TestHost.Small(options);
            options.Directory = directory.Path;
        }).AddTable<string, Poco>("people").AsDistributedCache().AsHybridCache().AsOutputCacheStore();

        TestHost first = await TestHost.StartAsync(Configure);
        CacheTable<string, Poco> people = first.Service<CacheTable<string, Poco>>("p");
        people.Put("ada", new Poco { Number = 1815 });
        first.Service<IDistributedCache>("p").Set("k", [1], new());
        await first.Service<HybridCache>("p").SetAsync("k", "hybrid");
        await first.Service<IOutputCacheStore>("p").SetAsync("k", [2], null, TimeSpan.FromMinutes(1), default);
        await first.Host.StopAsync();
        Assert.Throws<ObjectDisposedException>(() => people.Get("ada"));
        Assert.Throws<ObjectDisposedException>(() => first.Service<IDistributedCache>("p").Get("k"));
        await first.DisposeAsync();

        await using TestHost second = await TestHost.StartAsync(Configure);
        Assert.True(second.Service<PileCache>("p").Readiness.WasRestored);
        Assert.Equal(1815, second.Service<CacheTable<string, Poco>>("p/people").Get("ada").Number);
        Assert.Equal(new byte[] { 1 }, second.Service<IDistributedCache>("p").Get("k"));
        Assert.Equal("hybrid", await second.Service<HybridCache>("p").GetOrCreateAsync("k", static _ => new ValueTask<string>("made")));
        Assert.Equal(new byte[] { 2 }, await second.Service<IOutputCacheStore>("p").GetAsync("k", default));
    }

    private static Action<BigPileBuilder> Set(Action<BigPileOptions> configure) =>
        pile => pile.Services.Configure(pile.Name, configure);
}
