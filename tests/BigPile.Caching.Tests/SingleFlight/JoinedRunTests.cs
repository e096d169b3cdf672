using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.SingleFlight;

/// <summary>Runs of factories that others join, with a comparer and a codec of the application.</summary>
public sealed class JoinedRunTests
{
    private static readonly TimeSpan MaxWait = Eventually.Timeout;

    /// <summary>
    /// A caller that joins a run which found its key, and asked after the key was removed, must not get the removed value.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_a_run_found_is_not_shared_once_it_is_gone(bool isAsync)
    {
        var codec = new HookedCodec();
        var comparer = new HookedComparer();
        using var pile = new Pile(new PileOptions { Codec = codec });
        using var cache = new PileCache(pile);
        CacheTable<string, Boxed> table = cache.GetOrCreateTable<string, Boxed>(TestCache.Durable("t"), comparer);
        using var begins = new Meeting();
        using var reads = new Meeting();
        int hashings = 0;
        Thread? first = null;
        comparer.Hashing = () => { if (Thread.CurrentThread == first && ++hashings == 2) begins.Meet(); };
        codec.Reading = () => { if (Thread.CurrentThread == first) reads.Meet(); };
        first = new Thread(() => Get(-1));
        first.Start();
        begins.WaitFor(); // it has missed the key, and is about to begin its run
        table.Put("k", new Boxed(1));
        begins.LetGo();
        reads.WaitFor(); // its run has found the key, and reads it
        Assert.True(table.Remove("k"));
        int got = 0;
        var second = new Thread(() => got = Get(2));
        second.Start();
        Eventually.True(() => (second.ThreadState & ThreadState.WaitSleepJoin) != 0 || !second.IsAlive);
        reads.LetGo();
        Assert.True(first.Join(MaxWait) && second.Join(MaxWait));
        Assert.Equal(2, got);

        int Get(int made) => isAsync
            ? table.GetOrAddAsync("k", (_, _) => ValueTask.FromResult(new Boxed(made))).AsTask().GetAwaiter().GetResult().Number
            : table.GetOrAdd("k", _ => new Boxed(made)).Number;
    }

    /// <summary>The keys of a bucket change while a run begins: it compares anew.</summary>
    [Fact]
    public async Task A_run_begins_whatever_key_comes_meanwhile()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(TestCache.Durable("t"), new AnyCase());
        using var stop = new CancellationTokenSource();
        Task changes = SideBySide.Start(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                table.Put("key", "put");
                table.Remove("key");
            }
        });
        try
        {
            for (int i = 0; i < TestLeg.Steps(20_000, 500_000); i++)
                Assert.Contains(table.GetOrAdd("KEY", static _ => "made"), new[] { "put", "made" });
        }
        finally
        {
            await stop.CancelAsync();
            await changes;
        }
    }

    private sealed record Boxed(int Number);

    /// <summary>A place at which one thread waits for another.</summary>
    private sealed class Meeting : IDisposable
    {
        private readonly ManualResetEventSlim _isThere = new();
        private readonly ManualResetEventSlim _mayGo = new();

        public void Dispose()
        {
            _isThere.Dispose();
            _mayGo.Dispose();
        }

        internal void Meet()
        {
            _isThere.Set();
            _mayGo.Wait(MaxWait);
        }

        internal void WaitFor() => Assert.True(_isThere.Wait(MaxWait));

        internal void LetGo() => _mayGo.Set();
    }

    private sealed class HookedCodec : IPileCodec
    {
        internal Action? Reading { get; set; }

        public void Serialize(object value, PileBuffer destination) => destination.Write(BitConverter.GetBytes(((Boxed)value).Number));

        public object Deserialize(PileBuffer source)
        {
            int number = BitConverter.ToInt32(source.WrittenSpan);
            Reading?.Invoke();
            return new Boxed(number);
        }
    }

    private sealed class HookedComparer : IEqualityComparer<string>
    {
        internal Action? Hashing { get; set; }

        public bool Equals(string? x, string? y) => x == y;

        public int GetHashCode(string key)
        {
            Hashing?.Invoke();
            return 7;
        }
    }

    private sealed class AnyCase : IEqualityComparer<string>
    {
        public bool Equals(string? x, string? y) => string.Equals(x, y, StringComparison.OrdinalIgnoreCase);

        public int GetHashCode(string key) => StringComparer.OrdinalIgnoreCase.GetHashCode(key);
    }
}
