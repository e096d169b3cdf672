using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Clocks;

/// <summary>
/// A clock of the application that calls the cache, or waits for a thread that does: no lock of the table is held while it is read.
/// </summary>
public sealed class CallingClockTests
{
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    public static TheoryData<string> Calls =>
        ["get", "look", "lease", "remove", "get or add", "sweep", "evict", "lower the limit", "remove by tag", "clear", "drop", "put until",
            "step back"];

    [Theory]
    [MemberData(nameof(Calls))]
    public async Task It_calls_back(string call)
    {
        var clock = new CallingClock();
        using PileCache cache = Make(clock, out CacheTable<string, string> table);
        clock.Call = () => CallBack(call, cache, table);
        await SideBySide.Start(() => Make(call, clock, cache, table)).WaitAsync(Timeout);
        Assert.NotEqual(0, clock.CallsBack);
    }

    [Theory]
    [MemberData(nameof(Calls))]
    public async Task It_waits_for_one_who_calls(string call)
    {
        var clock = new CallingClock();
        using PileCache cache = Make(clock, out CacheTable<string, string> table);
        clock.Call = () => Assert.True(SideBySide.Start(() => CallBack(call, cache, table)).Wait(Timeout / 2));
        await SideBySide.Start(() => Make(call, clock, cache, table)).WaitAsync(Timeout);
        Assert.NotEqual(0, clock.CallsBack);
    }

    private static PileCache Make(CallingClock clock, out CacheTable<string, string> table)
    {
        var cache = new PileCache(new Pile(), new PileCacheOptions { OwnsPile = true, TimeProvider = clock, SweepPeriod = TimeSpan.Zero });
        table = cache.GetOrCreateTable<string, string>(TestCache.Durable("t") with { MaxEntries = 2 });
        table.Put("key", "value", ExpiringOptions);
        _ = cache.GetOrCreateTable<string, string>(TestCache.Durable("another"));
        return cache;
    }

    private static EntryOptions ExpiringOptions => new() { MaxAge = TimeSpan.FromHours(1) };

    private static EntryOptions Until => new() { ExpiresAt = TimeProvider.System.GetUtcNow() + TimeSpan.FromHours(1) };

    // Operations that need the locks which the call takes.
    private static void CallBack(string call, PileCache cache, CacheTable<string, string> table)
    {
        _ = table.TryGetEntry("key", out _);
        switch (call)
        {
            case "remove by tag" or "clear":
                table.RemoveByTag("another");
                break;
            case "drop":
                _ = cache.GetStatistics("t");
                break;
            case "put until" or "step back":
                table.Put("key", "value", Until);
                break;
            case "sweep":
                _ = table.Sweep();
                break;
        }
    }

    private static void Make(string call, CallingClock clock, PileCache cache, CacheTable<string, string> table)
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
            case "evict":
                table.Put("second", "value", ExpiringOptions);
                table.Put("third", "value");
                table.Put("fourth", "value");
                break;
            case "lower the limit":
                table.Put("second", "value", ExpiringOptions);
                table.Configure(table.Options with { MaxEntries = 1 });
                break;
            case "remove by tag":
                table.RemoveByTag("tag");
                break;
            case "clear":
                table.Clear();
                break;
            case "drop":
                Assert.True(cache.DropTable("another"));
                break;
            case "put until":
                table.Put("second", "value", Until);
                break;
            case "step back":
                clock.Behind = TimeSpan.FromHours(1);
                clock.QuietReads = 1;
                Assert.Equal("value", table.Get("key"));
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

        internal TimeSpan Behind { get; set; }

        /// <summary>How often it is read before it calls.</summary>
        internal int QuietReads { get; set; }

        public override DateTimeOffset GetUtcNow()
        {
            Tell();
            return base.GetUtcNow() - Behind;
        }

        public override long GetTimestamp()
        {
            Tell();
            return base.GetTimestamp() - (long)(Behind.TotalSeconds * TimestampFrequency);
        }

        private void Tell()
        {
            if (Call == null || QuietReads-- > 0 || Interlocked.Exchange(ref _isCalling, 1) != 0)
                return;
            Call();
            Interlocked.Increment(ref _callsBack);
            Volatile.Write(ref _isCalling, 0);
        }
    }
}
