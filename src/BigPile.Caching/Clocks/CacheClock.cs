using System;
using System.Threading;
using BigPile.Durability;
using BigPile.Memory;

namespace BigPile.Caching.Clocks;

/// <summary>The time of a cache, and the versions that follow it.</summary>
/// <remarks>
/// Ages and expiries are measured in a time that goes on evenly: from the system's clock at the start, by its steady clock. Where the
/// system's clock is set back meanwhile, it goes on evenly still. Where that is set forth, it goes forth too: what is put from then on
/// holds instants that the next opening understands, and <see cref="ClockSteps"/> keeps what was put before from becoming older by that
/// until the cache is closed. A pile whose last version lies ahead of the clock was used under a clock that was wrong: its time goes on
/// from there, and the steps have what that means for entries from before. Small differences are followed without a step, and never
/// backwards.
/// A clock past the year 2199 is not believed, since the milliseconds of a version end in 2248: the time goes on evenly from where it
/// was, or from the last version of the pile. Whatever a clock says, the time ends in 2246, and versions rise by one each from there.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class CacheClock
{
    private const int SaltBits = Versions.ClockShift - 1;
    private const long FollowedTicks = TimeSpan.TicksPerSecond;
    private const int MaxAttempts = 3;
    private const long SlowingTicks = TimeSpan.TicksPerSecond / 10; // by then everybody has the anchor

    // The system's ticks are some milliseconds late, more on a stalled virtual machine, and go at a rate of their own.
    private const int MostLagMs = 1_000;
    private const int DriftShift = 10;

    // Versions are reserved a second ahead of the clock; what kills leave of that is no wrong clock.
    private const long UsualLeadTicks = 10 * TimeSpan.TicksPerSecond;

    // The last instant of the cache's time; above its versions there are more than 10^16 for those that rise by one.
    private const long MostMilliseconds = (long)(Versions.Max >> Versions.ClockShift) - (1L << 36);

    private static readonly long LatestTime = DateTime.UnixEpoch.Ticks + MostMilliseconds * TimeSpan.TicksPerMillisecond;

    private readonly Lock _following = new();
    private readonly TimeProvider _time;
    private readonly double _ticksPerStamp;
    private readonly long _start;

    // So that a version of one pile is not taken for one of another that was made in the same millisecond.
    private readonly ulong _salt;
    private Anchor _anchor;
    private ClockSteps _steps = ClockSteps.None;
    private long _ahead;
    private long _corrected; // how far the time may be ahead before that says anything new of older entries
    private long _changes;

    /// <summary>Starts a cache's time.</summary>
    /// <param name="time">The clocks.</param>
    /// <param name="pileId">The pile.</param>
    /// <param name="lastVersion">The highest version that the pile has given out.</param>
    internal CacheClock(TimeProvider time, Guid pileId, ulong lastVersion = 0)
    {
        _salt = BitConverter.ToUInt32(pileId.ToByteArray()) & ((1u << SaltBits) - 1);
        _time = time == TimeProvider.System ? time : new SteadyTime(time, _following, OnStampsStepBack, IsBelieved);
        _ticksPerStamp = TimeSpan.TicksPerSecond / (double)_time.TimestampFrequency;
        long clock = SystemNow;
        bool isBelieved = clock <= LatestClock;
        long last = Math.Min(TicksOf(lastVersion), LatestTime);
        _start = last - clock > UsualLeadTicks || !isBelieved ? last : clock;
        if (_start > clock)
            StepBack(clock, _start - clock);
        if (_start < clock)
        {
            _ahead = _start - clock;
            (_time as SteadyTime)?.Ignore(-_ahead);
        }
        long tickMs = Environment.TickCount64;
        _anchor = new Anchor(_time.GetTimestamp(), tickMs, _start, Slept());
    }

    /// <summary>The time of the cache, in ticks of UTC.</summary>
    internal long Now
    {
        get
        {
            for (int attempt = 1; ; attempt++)
            {
                Anchor anchor = Volatile.Read(ref _anchor);
                long ticks = TicksAt(anchor, _time.GetTimestamp());
                if (ReferenceEquals(anchor, Volatile.Read(ref _anchor)) || attempt == MaxAttempts) // else others may have read a later time
                    return ticks;
            }
        }
    }

    /// <summary>
    /// An instant that is not before <see cref="Now"/>, and seldom more than some seconds behind it. By the system's clock it costs a
    /// quarter: no processor waits for what it began before, as it does to read its counter.
    /// </summary>
    internal long NowAtMost
    {
        get
        {
            if (_time != TimeProvider.System)
                return Now;
            Anchor anchor = Volatile.Read(ref _anchor);
            long elapsedMs = Environment.TickCount64 - anchor.TickMs;
            return anchor.Ticks + (elapsedMs + (elapsedMs >> DriftShift) + MostLagMs) * TimeSpan.TicksPerMillisecond;
        }
    }

    /// <summary>
    /// The time where the clock is the application's, and else 0: whoever is about to take a lock reads it first, since that clock may call
    /// the cache, or wait for somebody who does. The system's is read when it is needed.
    /// </summary>
    internal long BeforeLock => _time == TimeProvider.System ? 0 : Now;

    /// <summary>Whether the cache's time runs ahead of the system's clock; the next opening knows that by the versions alone.</summary>
    internal bool IsAhead => Volatile.Read(ref _ahead) > 0;

    /// <summary>Whether instants may have to be corrected.</summary>
    internal bool HasSteps => Volatile.Read(ref _steps).IsAny;

    /// <summary>The latest instant that a clock is believed, in ticks of UTC.</summary>
    internal static long LatestClock { get; } = new DateTime(2200, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;

    private long SystemNow => _time.GetUtcNow().UtcTicks;

    /// <summary>The instant of the system's clock that one of the cache's is.</summary>
    internal long ToSystem(long ticks) => Shift(ticks, -Volatile.Read(ref _ahead));

    /// <summary>The instant of the cache's time that one of the system's clock is.</summary>
    internal long FromSystem(long ticks) => Shift(ticks, Volatile.Read(ref _ahead));

    /// <summary>An instant after another one, or the last there is.</summary>
    internal static long Add(long instant, long ticks) =>
        instant > DateTime.MaxValue.Ticks - ticks ? DateTime.MaxValue.Ticks : instant + ticks;

    /// <summary>The lowest version that may be given at an instant.</summary>
    internal ulong VersionAt(long ticks)
    {
        long ms = (ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMillisecond;
        return ms <= 0 ? 0 : ((ulong)Math.Min(ms, MostMilliseconds) << Versions.ClockShift) | _salt;
    }

    /// <summary>When a version was given out, as the cache's time has it by now.</summary>
    internal long PutAt(ulong version)
    {
        long ticks = TicksOf(version);
        return ticks + StepsSince(version);
    }

    /// <summary>The present instant in the time that a version was given out in.</summary>
    internal long NowOf(ulong version) => Now - StepsSince(version);

    /// <summary>How much later an instant that was written down with a version is.</summary>
    internal long StepsSince(ulong version) => StepsSince(TicksOf(version));

    /// <summary>How much later an instant that was written down at another one is.</summary>
    internal long StepsSince(long ticks) => Volatile.Read(ref _steps).At(ticks);

    /// <summary>The lowest version of an entry that may have been put within a time until now; <see cref="PutAt"/> tells exactly.</summary>
    internal ulong LowestVersion(TimeSpan age)
    {
        long ticks = Now - Volatile.Read(ref _steps).Most - DateTime.UnixEpoch.Ticks;
        if (age.Ticks >= ticks)
            return 0;
        long ms = (ticks - age.Ticks + TimeSpan.TicksPerMillisecond - 1) / TimeSpan.TicksPerMillisecond;
        return (ulong)ms << Versions.ClockShift;
    }

    /// <summary>Looks at the system's clock. Done from time to time, and before an instant of that clock is taken over.</summary>
    /// <remarks>
    /// The clock is read under no lock, since it may be the application's. What was read before a change that somebody else made meanwhile
    /// says nothing, and is read again.
    /// </remarks>
    internal void Follow()
    {
        bool isDone = false;
        for (int i = 0; i < MaxAttempts && !isDone; i++)
        {
            long changes = Volatile.Read(ref _changes);
            TimeSpan slept = Slept();
            long tickMs = Environment.TickCount64; // not behind the stamp
            isDone = !TryReadBoth(out long stamp, out long clock) || TryFollow(changes, slept, tickMs, stamp, clock);
        }
    }

    private bool TryFollow(long changes, TimeSpan slept, long tickMs, long stamp, long clock)
    {
        lock (_following)
        {
            if (_changes != changes)
                return false;
            _changes++;
            WakeUp(slept);
            long apart = TicksAt(_anchor, stamp) - clock;
            bool isRight = Math.Abs(apart) < FollowedTicks;
            if (isRight || Math.Abs(apart - _ahead) < FollowedTicks)
            {
                Volatile.Write(ref _ahead, isRight ? 0 : _ahead);
                long now = TicksAt(_anchor, stamp);
                long right = Math.Min(clock + _ahead, LatestTime);
                if (now >= right && now - _anchor.Ticks < FollowedTicks)
                    return true; // it is on its way to what is right
                Volatile.Write(ref _anchor, _anchor with
                {
                    Stamp = stamp, TickMs = tickMs, Ticks = Math.Max(now, right), Excess = Math.Max(0, now - right),
                });
                return true;
            }
            bool isForth = apart < 0 && clock <= LatestClock;
            if (isForth)
                AddStep(clock - 1, -apart); // all that was put until now lies below
            else if (apart > _corrected)
                AddStep(Math.Min(clock, _start), apart - _corrected);
            Volatile.Write(ref _ahead, isForth ? 0 : apart);
            if (isForth) // last: no entry is read without its step
                Volatile.Write(ref _anchor, _anchor with { Stamp = stamp, TickMs = tickMs, Ticks = clock, Excess = 0 });
            return true;
        }
    }

    // Both at one instant, unless the thread loses its processor between the two.
    private bool TryReadBoth(out long stamp, out long clock)
    {
        for (int i = 0; i < MaxAttempts; i++)
        {
            stamp = _time.GetTimestamp();
            clock = SystemNow;
            if ((_time.GetTimestamp() - stamp) * _ticksPerStamp < TimeSpan.TicksPerMillisecond)
                return true;
        }
        stamp = clock = 0;
        return false;
    }

    private long TicksAt(Anchor anchor, long stamp)
    {
        double elapsed = (stamp - anchor.Stamp) * _ticksPerStamp;
        long ticks = (long)Math.Min(elapsed, LatestTime - anchor.Ticks);
        return anchor.Ticks + ticks - Math.Min(Math.Max(0, ticks - SlowingTicks) / 2, anchor.Excess);
    }

    private bool IsBelieved(double stamp) =>
        Volatile.Read(ref _anchor) is not { } anchor || anchor.Ticks + (stamp - anchor.Stamp) * _ticksPerStamp <= LatestClock;

    private static long TicksOf(ulong version) =>
        DateTime.UnixEpoch.Ticks + (long)(version >> Versions.ClockShift) * TimeSpan.TicksPerMillisecond;

    // The last instant stands for "never", also on the other clock.
    private static long Shift(long ticks, long by) =>
        ticks == long.MaxValue || by == 0 ? ticks : Math.Clamp(ticks + by, 0, DateTime.MaxValue.Ticks);

    private TimeSpan Slept() => _time == TimeProvider.System ? SleepTime.Total : TimeSpan.Zero;

    // Sleep is time that went by for every entry, and not a clock that was set.
    private void WakeUp(TimeSpan slept)
    {
        long ticks = (slept - _anchor.Slept).Ticks;
        if (ticks > FollowedTicks)
            Volatile.Write(ref _anchor, _anchor with { Ticks = Math.Min(_anchor.Ticks + ticks, LatestTime), Slept = slept });
    }

    private void OnStampsStepBack(long by, long clock)
    {
        _changes++;
        StepBack(Math.Min(clock, _start), by); // what was put since is of a time that went on evenly
    }

    // Of a clock that had been set forth only that part is a step which makes the cache's time run ahead of it.
    private void StepBack(long upTo, long by)
    {
        AddStep(upTo, by);
        Volatile.Write(ref _ahead, Math.Max(_ahead, 0) + by);
    }

    private void AddStep(long upTo, long by)
    {
        Volatile.Write(ref _steps, _steps.With(upTo, by));
        _corrected += by;
    }

    /// <summary>An instant of the time, and what its clocks said then.</summary>
    /// <param name="Stamp">The steady clock.</param>
    /// <param name="TickMs">The system's ticks; not behind the stamp.</param>
    /// <param name="Ticks">The instant.</param>
    /// <param name="Slept">How long the machine has slept.</param>
    /// <param name="Excess">
    /// How far it is ahead: the time soon goes at half its rate until that is made good, as what is over stays so.
    /// </param>
    private sealed record Anchor(long Stamp, long TickMs, long Ticks, TimeSpan Slept, long Excess = 0);
}
