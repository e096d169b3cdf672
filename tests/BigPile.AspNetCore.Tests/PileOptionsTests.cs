using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.AspNetCore.Tests;

/// <summary>What a pile can be told, a host's pile can be told as well.</summary>
public sealed class PileOptionsTests : IDisposable
{
    /// <summary>What the host settles by itself: where the pile is, its clock and where it reports.</summary>
    private static readonly string[] SettledByHost =
        ["Name", "Store", "CreateDirectory", "ReadOnly", "FlushLogBytes", "TimeProvider", "Logger"];

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Every_option_of_a_pile_is_one_of_the_hosts()
    {
        string[] missing = [.. typeof(PileOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(static option => typeof(BigPileOptions).GetProperty(option.Name)?.PropertyType != option.PropertyType)
            .Select(static option => option.Name).Except(SettledByHost)];
        Assert.Empty(missing);
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
        var time = new NotingTime();
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

    private sealed class NotingTime : TimeProvider
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
