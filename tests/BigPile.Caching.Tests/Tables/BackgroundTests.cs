using System;
using System.Buffers;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tests.Tables;

/// <summary>Work of the tables in the background: what it throws ends neither the process nor the work.</summary>
public sealed class BackgroundTests
{
    [Fact]
    public void A_sweep_that_throws_is_counted_and_the_next_one_runs()
    {
        var time = new FailingTime();
        var pile = new Pile(new PileOptions { SegmentBytes = 16 << 20 });
        var options = new PileCacheOptions { OwnsPile = true, TimeProvider = time, SweepPeriod = TimeSpan.FromSeconds(1) };
        using var cache = new PileCache(pile, options);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        table.Put("a", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(5) });
        time.IsFailing = true;
        time.Tick();
        Assert.Equal(1, pile.Engine.Background.FailureCount);
        Assert.Contains("sweep", pile.Engine.Background.LastFailure!.Message, StringComparison.Ordinal);
        time.IsFailing = false;
        time.Offset = TimeSpan.FromSeconds(6);
        time.Tick();
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void A_listener_and_a_logger_that_throw_keep_nobody_else_from_being_told()
    {
        var time = new ManualTime();
        var logger = new CallingLogger(static (level, _) =>
        {
            if (level >= LogLevel.Error)
                throw new InvalidOperationException("The log is full.");
        });
        var pile = new Pile(new PileOptions { SegmentBytes = 16 << 20, Logger = logger });
        using var cache = new PileCache(pile, new PileCacheOptions { OwnsPile = true, TimeProvider = time, SweepPeriod = TimeSpan.Zero });
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        using var told = new CountdownEvent(2);
        table.EntriesRemoved += static _ => throw new InvalidOperationException("bad");
        table.EntriesRemoved += batch => told.Signal(batch.Count);
        foreach (string key in new[] { "a", "b" })
        {
            table.Put(key, "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
            time.Advance(TimeSpan.FromSeconds(1));
            Assert.False(table.ContainsKey(key));
            table.Sweep();
        }
        Assert.True(told.Wait(Eventually.Timeout));
        Eventually.True(() => pile.Engine.Background.FailureCount > 0);
    }

    [Fact]
    public void A_key_that_cant_be_read_keeps_no_other_removal_of_its_batch_from_being_told()
    {
        var time = new ManualTime();
        var pile = new Pile(new PileOptions { SegmentBytes = 16 << 20, Codec = new ForgetfulCodec() });
        using var cache = new PileCache(pile, new PileCacheOptions { OwnsPile = true, TimeProvider = time, SweepPeriod = TimeSpan.Zero });
        CacheTable<Version, byte[]> table = cache.GetOrCreateTable<Version, byte[]>(TestCache.Durable("t"));
        using var told = new CountdownEvent(2);
        var keys = new ConcurrentBag<int>();
        table.EntriesRemoved += batch =>
        {
            foreach (RemovedEntry<Version> removed in batch)
            {
                keys.Add(removed.Key.Major);
                told.Signal();
            }
        };
        for (int i = 1; i <= 3; i++)
            table.Put(new Version(i, 0), [1], new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(3, table.Sweep());
        Assert.True(told.Wait(Eventually.Timeout));
        Assert.Equal([1, 3], keys.Order());
        Eventually.True(() => pile.Engine.Background.LastFailure != null); // the one that fails may come last
        Assert.Equal(1, pile.Engine.Background.FailureCount);
        Assert.Contains("'t'", pile.Engine.Background.LastFailure!.Message, StringComparison.Ordinal);
    }

    private sealed class ForgetfulCodec : IPileCodec
    {
        public void Serialize(object value, PileBuffer destination) => destination.Write(BitConverter.GetBytes(((Version)value).Major));

        public object Deserialize(PileBuffer source) =>
            BitConverter.ToInt32(source.WrittenSpan) is var major and not 2
                ? new Version(major, 0)
                : throw new FormatException("Which one was that?");
    }

    private sealed class FailingTime : TimeProvider
    {
        private readonly List<Action> _timers = [];
        private readonly DateTimeOffset _start = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

        internal bool IsFailing { get; set; }

        internal TimeSpan Offset { get; set; }

        public override DateTimeOffset GetUtcNow() =>
            IsFailing ? throw new System.IO.DirectoryNotFoundException("The directory has gone.") : _start + Offset;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _timers.Add(() => callback(state));
            return System.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        internal void Tick() => _timers.ForEach(static timer => timer());
    }
}
