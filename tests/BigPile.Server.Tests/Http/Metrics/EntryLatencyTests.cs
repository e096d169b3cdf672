using System;
using System.Threading.Tasks;
using BigPile.Http.Metrics;

namespace BigPile.Server.Tests.Http.Metrics;

public sealed class EntryLatencyTests
{
    private readonly Clock _clock = new();

    [Fact]
    public void Nothing_is_timed_when_nobody_looks()
    {
        var latency = new EntryLatency(_clock);
        Assert.False(latency.TryBegin(out _));
        Assert.Equal((null, null), latency.Poll());
        Assert.True(latency.TryBegin(out long started));
        _clock.Ticks += 1_000;
        latency.End(started, isRead: true);
        Assert.Equal(1, latency.Poll().Reads?.Count);
    }

    [Fact]
    public void A_look_is_forgotten_after_a_while()
    {
        var latency = new EntryLatency(_clock);
        latency.Poll();
        _clock.Ticks += EntryLatency.WatchTime.Ticks;
        Assert.True(latency.TryBegin(out _));
        _clock.Ticks++;
        Assert.False(latency.TryBegin(out _));
        Assert.False(latency.IsWatched);
    }

    [Fact]
    public async Task An_answer_that_takes_longer_is_timed_to_its_end()
    {
        var latency = new EntryLatency(_clock);
        latency.Poll();
        Assert.True(latency.TryBegin(out long started));
        var answer = new TaskCompletionSource();
        Task timed = latency.EndAsync(started, isRead: false, answer.Task);
        _clock.Ticks += TimeSpan.TicksPerMillisecond;
        answer.SetResult();
        await timed;
        (LatencyReport? reads, LatencyReport? writes) = latency.Poll();
        Assert.Null(reads);
        Assert.InRange(writes!.MaxUs, 1000, 1063);
    }

    private sealed class Clock : TimeProvider
    {
        internal long Ticks { get; set; } = 1;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Ticks;
    }
}
