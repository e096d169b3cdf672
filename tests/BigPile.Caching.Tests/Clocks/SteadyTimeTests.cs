using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Clocks;

namespace BigPile.Caching.Tests.Clocks;

/// <summary>Many threads read a clock that is set meanwhile: none reads an earlier time behind a later one, and none is made up.</summary>
public sealed class SteadyTimeTests
{
    private static readonly int Steps = TestLeg.Steps(200, 20_000);

    [Theory]
    [InlineData(false, -5.0)]
    [InlineData(false, -1.001)]
    [InlineData(false, -0.5)]
    [InlineData(false, 0.0)]
    [InlineData(true, -0.4)]
    [InlineData(true, -5.0)]
    public void The_time_never_goes_back_and_never_forth_by_itself(bool hasStamps, double stepSeconds)
    {
        var provider = new SetClock(hasStamps);
        var clock = new CacheClock(provider, Guid.NewGuid());
        long began = Stopwatch.GetTimestamp(); // before the clock is read, and below after it: a pause between them counts for it
        long start = clock.Now;
        long latest = 0;
        long worst = 0;
        bool isOver = false;
        Task[] reading = [.. Enumerable.Range(0, 3).Select(thread => SideBySide.Start(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                long before = Volatile.Read(ref latest);
                long now = clock.Now;
                if (now < before)
                    Max(ref worst, before - now);
                Max(ref latest, now);
            }
        }))];
        for (int step = 0; step < Steps; step++)
        {
            provider.Step(stepSeconds != 0 ? TimeSpan.FromSeconds(stepSeconds) : TimeSpan.FromSeconds(step % 2 == 0 ? -0.9 : 0.9));
            for (int i = 0; i < 100; i++)
                clock.Follow();
        }
        Volatile.Write(ref isOver, true);
        Task.WaitAll(reading);
        Assert.Equal(0, worst);
        long ahead = clock.Now - start - Stopwatch.GetElapsedTime(began).Ticks;
        Assert.InRange(ahead, TimeSpan.MinValue.Ticks, (hasStamps ? 1 : 2) * TimeSpan.TicksPerSecond);
    }

    /// <summary>What time passed since a reading is not taken for a part of the step back that the reading showed.</summary>
    [Fact]
    public void A_step_back_is_as_long_as_it_was_when_it_was_read()
    {
        var provider = new LateClock();
        var clock = new CacheClock(provider, Guid.NewGuid());
        long start = clock.Now;
        provider.Now -= TimeSpan.FromSeconds(1.2);
        provider.RunBehind(readings: 2, () => // the first one shows the step, the second one measures it
        {
            provider.Now += TimeSpan.FromSeconds(3);
            _ = clock.Now;
        });
        _ = clock.Now;
        Assert.Equal(TimeSpan.FromSeconds(3), TimeSpan.FromTicks(clock.Now - start));
    }

    private static void Max(ref long most, long value)
    {
        for (long was = Volatile.Read(ref most); value > was; was = Volatile.Read(ref most))
            Interlocked.CompareExchange(ref most, value, was);
    }

    /// <summary>The steady clock, set by some; its stamps are steady, or it has none of its own.</summary>
    private sealed class SetClock(bool hasStamps) : TimeProvider
    {
        private static readonly DateTimeOffset Start = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

        private readonly long _began = Stopwatch.GetTimestamp();
        private long _set;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => hasStamps ? Stopwatch.GetElapsedTime(_began).Ticks : GetUtcNow().Ticks;

        public override DateTimeOffset GetUtcNow() => Start.AddTicks(Volatile.Read(ref _set)) + Stopwatch.GetElapsedTime(_began);

        internal void Step(TimeSpan by) => Interlocked.Add(ref _set, by.Ticks);
    }

    /// <summary>A clock without stamps of its own. Something may happen between a reading and its use.</summary>
    private sealed class LateClock : TimeProvider
    {
        private int _readings;
        private Action? _behind;

        internal DateTimeOffset Now { get; set; } = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

        public override DateTimeOffset GetUtcNow()
        {
            DateTimeOffset now = Now;
            if (--_readings == 0)
                _behind?.Invoke();
            return now;
        }

        internal void RunBehind(int readings, Action action) => (_readings, _behind) = (readings, action);
    }
}
