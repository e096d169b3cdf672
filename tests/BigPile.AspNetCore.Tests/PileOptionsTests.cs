using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.AspNetCore.Tests;

/// <summary>What a pile can be told, a host's pile can be told as well.</summary>
public sealed class PileOptionsTests : IDisposable
{
    /// <summary>What the host has as services, its clock, its end and where it reports; and its tables write.</summary>
    private static readonly string[] SetByHost = ["ReadOnly", "TimeProvider", "Logger", "MeterFactory", "OpenStop"];

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Every_option_of_a_pile_is_one_of_the_hosts()
    {
        string[] missing = [.. typeof(PileOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(static option => typeof(BigPileOptions).GetProperty(option.Name)?.PropertyType != option.PropertyType)
            .Select(static option => option.Name).Except(SetByHost)];
        Assert.Empty(missing);
    }

    [Fact]
    public void Every_option_reaches_the_pile()
    {
        var options = new BigPileOptions
        {
            Name = "n", Directory = "d", Shared = true, CreateDirectory = false, Store = StoreKind.Mapped, SegmentBytes = 8 << 20,
            MaxBytes = 1 << 30, MemoryShare = 0.3,
            Checksums = PileChecksums.Off, Warmup = PileWarmup.Advise, WarmupBytesPerSecond = 7, FlushInterval = TimeSpan.FromSeconds(9),
            FlushLogBytes = 2 << 20, OpenTimeout = TimeSpan.FromSeconds(3),
            HugePages = false, UpgradeFormat = false, CodecOptions = new PileCodecOptions(), Codec = new TextCodec(),
        };
        PileOptions pile = options.ToPlan(TimeProvider.System, NullLogger<Pile>.Instance, null, default).Pile;
        var untouched = new PileOptions();
        foreach (PropertyInfo option in typeof(PileOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(
            static option => !SetByHost.Contains(option.Name)))
        {
            Assert.Equal(typeof(BigPileOptions).GetProperty(option.Name)!.GetValue(options), option.GetValue(pile));
            Assert.NotEqual(option.GetValue(untouched), option.GetValue(pile)); // or nothing would show that it was passed on
        }
    }

    [Theory]
    [InlineData(StoreKind.Managed)]
    [InlineData(StoreKind.Native)]
    public async Task A_pile_in_memory_has_the_store_and_the_name_that_were_chosen(StoreKind store)
    {
        await using TestHost host = await TestHost.StartAsync(services => services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Store = store;
            options.Name = "chosen";
        }));
        Pile pile = host.Service<PileCache>().Pile;
        Assert.Equal((store, "chosen"), (pile.Store, pile.Name));
    }

    [Fact]
    public async Task A_directory_that_must_be_there_is_not_made()
    {
        string missing = System.IO.Path.Combine(_directory.Path, "missing");
        await Assert.ThrowsAsync<PileStorageException>(() => TestHost.StartAsync(services => services.AddBigPile(options =>
        {
            options.Directory = missing;
            options.CreateDirectory = false;
        })));
        Assert.False(System.IO.Directory.Exists(missing));
    }

    [Fact]
    public async Task A_codec_and_checksums_reach_the_pile()
    {
        var codec = new TextCodec();
        await using (TestHost host = await TestHost.StartAsync(services => services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Directory = _directory.Path;
            options.Codec = codec;
            options.Checksums = PileChecksums.Off;
        })))
        {
            CacheTable<string, Version> table = host.Service<PileCache>().GetOrCreateTable<string, Version>("t");
            table.Put("k", new Version(1, 2));
            Assert.Equal(new Version(1, 2), table.Get("k"));
            Assert.Equal(1, codec.Calls);
        }
        Assert.Throws<PileStorageException>(() => Pile.Open(_directory.Path));
    }

    [Fact]
    public async Task A_flush_interval_is_kept_by_the_hosts_clock()
    {
        var time = new RecordingTime();
        await using TestHost host = await TestHost.StartAsync(services =>
        {
            services.AddSingleton<TimeProvider>(time);
            services.AddBigPile(options =>
            {
                TestHost.Small(options);
                options.Directory = _directory.Path;
                options.Warmup = PileWarmup.Off;
                options.WarmupBytesPerSecond = 1;
                options.FlushInterval = TimeSpan.FromMinutes(1);
            });
        });
        Assert.Contains(TimeSpan.FromMinutes(1), time.Periods);
    }

    private sealed class RecordingTime : TimeProvider
    {
        internal ConcurrentBag<TimeSpan> Periods { get; } = [];

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Periods.Add(period);
            return base.CreateTimer(callback, state, dueTime, period);
        }
    }

    private sealed class TextCodec : IPileCodec
    {
        internal int Calls { get; private set; }

        public void Serialize(object value, PileBuffer destination)
        {
            Calls++;
            System.Buffers.BuffersExtensions.Write(destination, Encoding.ASCII.GetBytes(value.ToString()!));
        }

        public object Deserialize(PileBuffer source) => Version.Parse(Encoding.ASCII.GetString(source.WrittenSpan));
    }
}
