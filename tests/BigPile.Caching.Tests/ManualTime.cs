using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Caching.Tests;

/// <summary>A clock that stands still until it is advanced; timers that became due run then, each once.</summary>
internal sealed class ManualTime(DateTimeOffset start) : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<ManualTimer> _timers = [];
    private DateTimeOffset _now = start;

    internal ManualTime() : this(new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.Zero))
    {
    }

    public override DateTimeOffset GetUtcNow()
    {
        lock (_lock)
            return _now;
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => GetUtcNow().Ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, callback, state, dueTime, period);
        lock (_lock)
            _timers.Add(timer);
        return timer;
    }

    /// <summary>How many timers there are: a test that advances the clock waits for those that are to end.</summary>
    internal int TimerCount
    {
        get
        {
            lock (_lock)
                return _timers.Count;
        }
    }

    internal void Advance(TimeSpan time)
    {
        ManualTimer[] timers;
        lock (_lock)
        {
            _now += time;
            timers = [.. _timers];
        }
        foreach (ManualTimer timer in timers)
            timer.Pass(time);
    }

    private sealed class ManualTimer(ManualTime clock, TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) : ITimer
    {
        private TimeSpan _left = dueTime;

        // What became due several times meanwhile runs once, as with the system's timers: work of each second takes minutes for a thousand
        // days.
        internal void Pass(TimeSpan time)
        {
            _left -= time;
            if (_left > TimeSpan.Zero)
                return;
            _left = period <= TimeSpan.Zero ? TimeSpan.MaxValue : period + TimeSpan.FromTicks(_left.Ticks % period.Ticks);
            callback(state);
        }

        public bool Change(TimeSpan newDueTime, TimeSpan newPeriod) => throw new NotSupportedException();

        public void Dispose()
        {
            lock (clock._lock)
                clock._timers.Remove(this);
        }

        public System.Threading.Tasks.ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
