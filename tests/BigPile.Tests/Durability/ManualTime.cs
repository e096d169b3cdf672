using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Tests.Durability;

/// <summary>A clock that moves when it is told to. Timers fire on the thread that moves it.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<ManualTimer> _timers = [];
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Timers that will fire.</summary>
    internal int PendingCount
    {
        get
        {
            lock (_lock)
                return _timers.FindAll(static timer => timer.Due != long.MaxValue).Count;
        }
    }

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddTicks(GetTimestamp());

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, () => callback(state));
        lock (_lock)
            _timers.Add(timer);
        timer.Change(dueTime, period);
        return timer;
    }

    internal void Advance(TimeSpan by)
    {
        List<ManualTimer> due;
        lock (_lock)
        {
            _now += by.Ticks;
            due = _timers.FindAll(timer => timer.Due <= _now);
            due.ForEach(timer => timer.Due = timer.Period > TimeSpan.Zero ? _now + timer.Period.Ticks : long.MaxValue);
        }
        due.ForEach(static timer => timer.Fire());
    }

    private sealed class ManualTimer(ManualTime time, Action fire) : ITimer
    {
        internal long Due { get; set; } = long.MaxValue;

        internal TimeSpan Period { get; private set; }

        internal void Fire() => fire();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._lock)
            {
                Due = dueTime == Timeout.InfiniteTimeSpan ? long.MaxValue : time._now + dueTime.Ticks;
                Period = period;
            }
            return true;
        }

        public void Dispose()
        {
            lock (time._lock)
                time._timers.Remove(this);
        }

        public System.Threading.Tasks.ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
