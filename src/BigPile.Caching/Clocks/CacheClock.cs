using System;
using System.Threading;
using BigPile.Durability;
using BigPile.Memory;

namespace BigPile.Caching.Clocks;

/// <summary>A hybrid clock: the monotonic time of a cache, and the versions derived from it.</summary>
/// <remarks>
/// Ages and expiries are measured in cache time. It starts at the system clock and advances by the monotonic clock. If the system clock is
/// set back, cache time advances evenly. If the system clock is set forward, cache time follows: entries put from then on hold
/// instants that the next opening understands, and <see cref="ClockSteps"/> keeps older entries from aging by the step until the cache is
/// closed. If the last version of the pile is ahead of the system clock, the pile was used under a wrong clock: cache time starts at that
/// version, and the steps correct older entries. Differences below a second are corrected gradually, and never backwards.
/// A system clock past the year 2199 is ignored, since the milliseconds of a version end in 2248: cache time advances evenly from where it
/// was, or from the last version of the pile. In any case cache time ends in 2246, and versions then rise by one each.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class CacheClock
{
    private const int SaltBits = Versions.ClockShift - 1;
    private const long FollowedTicks = TimeSpan.TicksPerSecond;
    private const int MaxAttempts = 3;
    private const long SlowingTicks = TimeSpan.TicksPerSecond / 10; // by then every thread has loaded the anchor

    // TickCount64 lags by some milliseconds, by more on a stalled virtual machine, and drifts.
    private const int MostLagMs = 1_000;
    private const int DriftShift = 10;

    // Versions are reserved a second ahead of the clock. A last version that is this little ahead, after kills, shows no wrong clock.
    private const long UsualLeadTicks = 10 * TimeSpan.TicksPerSecond;

    // The last instant of cache time. Above its versions more than 10^16 are left that rise by one.
    private const long MostMilliseconds = (long)(Versions.Max >> Versions.ClockShift) - (1L << 36);

    private static readonly long LatestTime = DateTime.UnixEpoch.Ticks + MostMilliseconds * TimeSpan.TicksPerMillisecond;

    private readonly Lock _following = new(); // held while any of the fields that change is written
    private readonly TimeProvider _time; // system clock and monotonic stamps
    private readonly double _ticksPerStamp; // ticks of 100 ns in one stamp
    private readonly long _start; // cache time at the start, in ticks of UTC

    // Low bits of VersionAt, from the pile's id: keeps versions of two piles from the same millisecond apart.
    private readonly ulong _salt;
    private Anchor _anchor; // what cache time is computed from; read without the lock
    private ClockSteps _steps = ClockSteps.None; // corrections of older instants; read without the lock
    private long _ahead; // ticks by which cache time is ahead of the system clock; read without the lock
    private long _corrected; // ticks that the steps correct: only a lead beyond it needs another step
    private long _changes; // counts changes, so that Follow detects a concurrent one

    /// <summary>Starts the time of a cache.</summary>
    /// <param name="time">The system clock and the monotonic clock.</param>
    /// <param name="pileId">The id of the pile.</param>
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

    /// <summary>The present cache time, in ticks of UTC.</summary>
    internal long Now
    {
        get
        {
            for (int attempt = 1; ; attempt++)
            {
                Anchor anchor = Volatile.Read(ref _anchor);
                long ticks = TicksAt(anchor, _time.GetTimestamp());
                // with a replaced anchor, another thread may have read a later time already
                if (ReferenceEquals(anchor, Volatile.Read(ref _anchor)) || attempt == MaxAttempts)
                    return ticks;
            }
        }
    }

    /// <summary>
    /// An upper bound of <see cref="Now"/>, seldom more than some seconds later. With the system's clock it costs a quarter of that: it
    /// does not read the time stamp counter, which waits for all earlier instructions.
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
    /// The present cache time if the clock is the application's, else 0. A caller reads it before it takes a lock, since an application's
    /// clock may call the cache, or wait for a thread that does. The system's clock is read when it is needed.
    /// </summary>
    internal long BeforeLock => _time == TimeProvider.System ? 0 : Now;

    /// <summary>Whether cache time is ahead of the system clock. The next opening detects that by the versions alone.</summary>
    internal bool IsAhead => Volatile.Read(ref _ahead) > 0;

    /// <summary>Whether stored instants may need a correction.</summary>
    internal bool HasSteps => Volatile.Read(ref _steps).IsAny;

    /// <summary>The latest instant of the system clock that is accepted, in ticks of UTC.</summary>
    internal static long LatestClock { get; } = new DateTime(2200, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;

    private long SystemNow => _time.GetUtcNow().UtcTicks;

    /// <summary>Converts an instant of cache time to the system clock.</summary>
    internal long ToSystem(long ticks) => Shift(ticks, -Volatile.Read(ref _ahead));

    /// <summary>Converts an instant of the system clock to cache time.</summary>
    internal long FromSystem(long ticks) => Shift(ticks, Volatile.Read(ref _ahead));

    /// <summary>Adds ticks to an instant; saturates at the last instant of <see cref="DateTime"/>.</summary>
    internal static long Add(long instant, long ticks) =>
        instant > DateTime.MaxValue.Ticks - ticks ? DateTime.MaxValue.Ticks : instant + ticks;

    /// <summary>The lowest version that may be given at an instant.</summary>
    internal ulong VersionAt(long ticks)
    {
        long ms = (ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMillisecond;
        return ms <= 0 ? 0 : ((ulong)Math.Min(ms, MostMilliseconds) << Versions.ClockShift) | _salt;
    }

    /// <summary>When a version was given out, in present cache time.</summary>
    internal long PutAt(ulong version)
    {
        long ticks = TicksOf(version);
        return ticks + StepsSince(version);
    }

    /// <summary>The ticks to add to an instant that was stored with a version.</summary>
    internal long StepsSince(ulong version) => StepsSince(TicksOf(version));

    /// <summary>The ticks to add to an instant that was stored at another instant.</summary>
    internal long StepsSince(long ticks) => Volatile.Read(ref _steps).At(ticks);

    /// <summary>A lower bound of the versions of entries that are no older than an age; <see cref="PutAt"/> is exact.</summary>
    internal ulong LowestVersion(TimeSpan age)
    {
        long ticks = Now - Volatile.Read(ref _steps).Most - DateTime.UnixEpoch.Ticks;
        if (age.Ticks >= ticks)
            return 0;
        long ms = (ticks - age.Ticks + TimeSpan.TicksPerMillisecond - 1) / TimeSpan.TicksPerMillisecond;
        return (ulong)ms << Versions.ClockShift;
    }

    /// <summary>Follows the system clock. Called periodically, and before an instant of that clock is converted.</summary>
    /// <remarks>
    /// The clock is read without the lock, since it may be the application's. If another thread changed the time meanwhile, the reading is
    /// discarded and repeated.
    /// </remarks>
    internal void Follow()
    {
        bool isDone = false;
        for (int i = 0; i < MaxAttempts && !isDone; i++)
        {
            long changes = Volatile.Read(ref _changes);
            TimeSpan slept = Slept();
            long tickMs = Environment.TickCount64; // read before the stamp
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
                    return true; // the anchor is recent, and its excess is being worked off
                Volatile.Write(ref _anchor, _anchor with
                {
                    Stamp = stamp, TickMs = tickMs, Ticks = Math.Max(now, right), Excess = Math.Max(0, now - right),
                });
                return true;
            }
            bool isForth = apart < 0 && clock <= LatestClock;
            if (isForth)
                AddStep(clock - 1, -apart); // all stored instants so far are below
            else if (apart > _corrected)
                AddStep(Math.Min(clock, _start), apart - _corrected);
            Volatile.Write(ref _ahead, isForth ? 0 : apart);
            if (isForth) // after the step: else a reader with the new time would expire entries early
                Volatile.Write(ref _anchor, _anchor with { Stamp = stamp, TickMs = tickMs, Ticks = clock, Excess = 0 });
            return true;
        }
    }

    // Reads stamp and clock within a millisecond; fails if the thread is preempted between them each time.
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

    /// <summary>When a version was given out, in the time of then.</summary>
    internal static long TicksOf(ulong version) =>
        DateTime.UnixEpoch.Ticks + (long)(version >> Versions.ClockShift) * TimeSpan.TicksPerMillisecond;

    // long.MaxValue means "never" on both clocks.
    private static long Shift(long ticks, long by) =>
        ticks == long.MaxValue || by == 0 ? ticks : Math.Clamp(ticks + by, 0, DateTime.MaxValue.Ticks);

    private TimeSpan Slept() => _time == TimeProvider.System ? SleepTime.Total : TimeSpan.Zero;

    // The machine's sleep is time that passed for every entry, not a step of the clock. Monotonic stamps leave it out.
    private void WakeUp(TimeSpan slept)
    {
        long ticks = (slept - _anchor.Slept).Ticks;
        if (ticks > FollowedTicks)
            Volatile.Write(ref _anchor, _anchor with { Ticks = Math.Min(_anchor.Ticks + ticks, LatestTime), Slept = slept });
    }

    private void OnStampsStepBack(long by, long clock)
    {
        _changes++;
        StepBack(Math.Min(clock, _start), by); // entries put since the start have instants of cache time, which advanced evenly
    }

    // If cache time was behind the clock, only the part of the step that puts it ahead counts.
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

    /// <summary>An instant of cache time, and the readings of the other clocks at that instant. Immutable.</summary>
    /// <param name="Stamp">The monotonic clock, in stamps.</param>
    /// <param name="TickMs">The system's tick count in milliseconds, read before the stamp.</param>
    /// <param name="Ticks">The instant of cache time, in ticks of UTC.</param>
    /// <param name="Slept">How long the machine has slept so far.</param>
    /// <param name="Excess">
    /// Ticks that cache time is ahead of its target. A tenth of a second later it advances at half its rate until they are worked off.
    /// </param>
    private sealed record Anchor(long Stamp, long TickMs, long Ticks, TimeSpan Slept, long Excess = 0);

    /// <summary>Refuses a pile whose entries have later versions than can be told from damage.</summary>
    internal static void RefuseBeyondVersions(Pile pile)
    {
        if (pile.Tables.Versions.Limit <= Versions.Max)
            return;
        throw new PileStorageException(
            $"The tables of the pile in '{pile.DirectoryPath}' were used under a clock past the year 2248 by a version that did not refuse "
            + "it. Their entries have versions that run into a bit with another meaning: what was put since can't be told from damage. "
            + "Restore the pile from a copy of before, or export the tables with that version and load them into a new pile. Objects that "
            + "are in no table can still be used.");
    }
}
