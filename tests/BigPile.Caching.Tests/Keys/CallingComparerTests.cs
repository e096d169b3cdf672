using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Keys;

/// <summary>A comparer of the application that throws while a factory runs, or waits for a thread that runs another one.</summary>
public sealed class CallingComparerTests
{
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_waits_for_a_run_hears_that_its_comparer_throws_at_every_call(bool isAsync)
    {
        var comparer = new HookedComparer();
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(TestCache.Durable("t"), comparer);
        using var runs = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        Task<string> first = SideBySide.Start(() => Get(Make));
        Assert.True(runs.Wait(Timeout));
        Thread? waiter = null;
        Task<string> second = SideBySide.Start(() =>
        {
            waiter = Thread.CurrentThread;
            return Get(static _ => "other");
        });
        Eventually.True(() => waiter is { } thread && (thread.ThreadState & ThreadState.WaitSleepJoin) != 0);
        comparer.IsBroken = true;
        mayEnd.Set();
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => first.WaitAsync(Timeout));
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => second.WaitAsync(Timeout));
        comparer.IsBroken = false;
        Assert.Equal("again", await SideBySide.Start(() => Get(static _ => "again")).WaitAsync(Timeout));

        string Make(string key)
        {
            runs.Set();
            Assert.True(mayEnd.Wait(Timeout));
            return "made";
        }

        string Get(Func<string, string> factory) => isAsync
            ? table.GetOrAddAsync("k", (key, _) => ValueTask.FromResult(factory(key))).AsTask().GetAwaiter().GetResult()
            : table.GetOrAdd("k", factory);
    }

    [Fact]
    public async Task Keys_are_compared_with_no_lock_of_the_runs_held()
    {
        var comparer = new HookedComparer();
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(TestCache.Durable("t"), comparer);
        using var runs = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        Task<string> first = SideBySide.Start(() => table.GetOrAdd("a", _ =>
        {
            runs.Set();
            Assert.True(mayEnd.Wait(Timeout));
            return "made";
        }));
        Assert.True(runs.Wait(Timeout));
        int called = 0;
        comparer.Comparing = () =>
        {
            if (++called < 4) // each adds a key that has to be compared
                Assert.True(SideBySide.Start(() => table.GetOrAdd($"c{called}", static _ => "made")).Wait(Timeout / 2));
        };
        Assert.Equal("made", await SideBySide.Start(() => table.GetOrAdd("b", static _ => "made")).WaitAsync(Timeout));
        comparer.Comparing = null;
        mayEnd.Set();
        Assert.Equal("made", await first.WaitAsync(Timeout));
        Assert.NotEqual(0, called);
    }

    [Fact]
    public async Task A_circle_of_runs_is_told_with_no_lock_held_though_a_keys_text_waits_for_another_run()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<Named, string> table = cache.GetOrCreateTable<Named, string>(TestCache.Durable("t"));
        CacheTable<string, string> other = cache.GetOrCreateTable<string, string>(TestCache.Durable("o"));
        Named.Describing = () =>
            Assert.True(SideBySide.Start(() => other.GetOrAdd("k", _ => other.GetOrAdd("l", static _ => "made"))).Wait(Timeout / 2));
        try
        {
            Task<string> asks = SideBySide.Start(() => table.GetOrAdd(new Named("k"), key => table.GetOrAdd(key, static _ => "never")));
            InvalidOperationException thrown = await Assert.ThrowsAsync<InvalidOperationException>(() => asks.WaitAsync(Timeout));
            Assert.Contains("asks for the same key", thrown.Message, StringComparison.Ordinal);
        }
        finally
        {
            Named.Describing = null;
        }
    }

    [Fact]
    public async Task Comparers_are_compared_with_no_lock_of_the_cache_held()
    {
        var comparer = new HookedComparer();
        using PileCache cache = TestCache.Make();
        _ = cache.GetOrCreateTable<string, string>(TestCache.Durable("t"), comparer);
        int called = 0;
        comparer.BeingCompared = () =>
        {
            called++;
            Assert.True(SideBySide.Start(() => cache.TryGetTable<string, string>("t", out _)).Wait(Timeout / 2));
        };
        _ = await SideBySide.Start(() => cache.GetOrCreateTable<string, string>(TestCache.Durable("t"), comparer)).WaitAsync(Timeout);
        Assert.NotEqual(0, called);
    }

    private sealed record Named(string Name)
    {
        internal static Action? Describing { get; set; }

        public override string ToString()
        {
            Describing?.Invoke();
            return Name;
        }
    }

    private sealed class HookedComparer : IEqualityComparer<string>
    {
        private int _isCalling;

        internal bool IsBroken { get; set; }

        internal Action? Comparing { get; set; }

        internal Action? BeingCompared { get; set; }

        public bool Equals(string? x, string? y)
        {
            Call(Comparing);
            return !IsBroken ? x == y : throw new InvalidTimeZoneException();
        }

        public int GetHashCode(string key) => !IsBroken ? 7 : throw new InvalidTimeZoneException();

        public override bool Equals(object? other)
        {
            Call(BeingCompared);
            return ReferenceEquals(this, other);
        }

        public override int GetHashCode() => 1;

        private void Call(Action? action)
        {
            if (action == null || Interlocked.Exchange(ref _isCalling, 1) != 0)
                return;
            action();
            Volatile.Write(ref _isCalling, 0);
        }
    }
}
