using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests;

/// <summary>A clock of the application that calls the cache, or waits for somebody who does: no lock of the table is held while it is read.</summary>
public sealed class ForeignClockTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    public static TheoryData<string> Calls => ["get", "look", "lease", "remove", "get or add", "sweep"];

    [Theory]
    [MemberData(nameof(Calls))]
    public async Task It_calls_back(string call)
    {
        var clock = new CallingClock();
        using PileCache cache = Make(clock, out CacheTable<string, string> table);
        clock.Call = () => _ = table.TryGetEntry("key", out _);
        await Task.Run(() => Make(call, table)).WaitAsync(Patience);
        Assert.NotEqual(0, clock.CallsBack);
    }

    [Theory]
    [MemberData(nameof(Calls))]
    public async Task It_waits_for_one_who_calls(string call)
    {
        var clock = new CallingClock();
        using PileCache cache = Make(clock, out CacheTable<string, string> table);
        clock.Call = () => Task.Run(() => table.TryGetEntry("key", out _)).Wait(Patience);
        await Task.Run(() => Make(call, table)).WaitAsync(Patience);
        Assert.NotEqual(0, clock.CallsBack);
    }

    private static PileCache Make(CallingClock clock, out CacheTable<string, string> table)
    {
        var cache = new PileCache(new Pile(), new PileCacheOptions { OwnsPile = true, TimeProvider = clock, SweepPeriod = TimeSpan.Zero });
        table = cache.GetOrCreateTable<string, string>(TestCache.Durable("t"));
        table.Put("key", "value", new EntryOptions { MaxAge = TimeSpan.FromHours(1) });
        return cache;
    }

    private static void Make(string call, CacheTable<string, string> table)
    {
        switch (call)
        {
            case "get":
                Assert.Equal("value", table.Get("key"));
                break;
            case "look":
                Assert.True(table.TryGetEntry("key", out _));
                break;
            case "lease":
                Assert.True(table.TryLease("key", out PileLease? lease, out _));
                lease!.Dispose();
                break;
            case "remove":
                Assert.True(table.Remove("key"));
                break;
            case "get or add":
                Assert.Equal("made", table.GetOrAdd("other", static _ => "made"));
                break;
            default:
                Assert.Equal(0, table.Sweep());
                break;
        }
    }

    /// <summary>Calls when it is read, but not while it does.</summary>
    private sealed class CallingClock : TimeProvider
    {
        private int _isCalling;
        private int _callsBack;

        internal Action? Call { get; set; }

        internal int CallsBack => _callsBack;

        public override DateTimeOffset GetUtcNow()
        {
            Tell();
            return base.GetUtcNow();
        }

        public override long GetTimestamp()
        {
            Tell();
            return base.GetTimestamp();
        }

        private void Tell()
        {
            if (Call == null || Interlocked.Exchange(ref _isCalling, 1) != 0)
                return;
            Call();
            Interlocked.Increment(ref _callsBack);
            Volatile.Write(ref _isCalling, 0);
        }
    }
}
