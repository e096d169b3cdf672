using System;
using System.Threading;

namespace BigPile.Caching.Clocks;

/// <summary>
/// Monotonic time stamps from an application's <see cref="TimeProvider"/>, or from its clock if it does not override the stamps. Most such
/// stamps follow a clock that is set: here they never go back, and never jump to an instant that no clock is accepted at.
/// </summary>
internal sealed class SteadyTime : TimeProvider
{
    private const int MaxAttempts = 3;
    private const double JumpSeconds = 366.0 * 86_400; // a smaller step counts as time that passed

    private readonly TimeProvider _time;
    private readonly Lock _stepping; // held while a step is handled; guards the writes of _shift and _ignored
    private readonly Action<long, long> _onStep;
    private readonly Func<double, bool> _isBelieved;
    private readonly bool _hasStamps; // whether the provider overrides GetTimestamp
    private long _last; // the greatest stamp returned so far; raised by CAS
    private Shift _shift = new(0); // read without the lock
    private double _ignored; // stamps of forward jumps in which no time passed

    /// <summary>Begins with the provider's present stamp.</summary>
    /// <param name="time">The application's provider.</param>
    /// <param name="stepping">The lock to hold while a step is handled.</param>
    /// <param name="onStep">
    /// Called before the next stamp, with the ticks that the provider went backwards and the ticks of its clock after that.
    /// </param>
    /// <param name="isBelieved">Whether time may advance to a stamp at once.</param>
    internal SteadyTime(TimeProvider time, Lock stepping, Action<long, long> onStep, Func<double, bool> isBelieved)
    {
        _time = time;
        _stepping = stepping;
        _onStep = onStep;
        _isBelieved = isBelieved;
        _hasStamps = new Func<long>(time.GetTimestamp).Method.DeclaringType != typeof(TimeProvider);
        _last = Raw();
    }

    public override long TimestampFrequency => _hasStamps ? _time.TimestampFrequency : TimeSpan.TicksPerSecond;

    private long Tolerance => TimestampFrequency;

    public override DateTimeOffset GetUtcNow() => _time.GetUtcNow();

    // The shift is loaded before the provider is read. A reading that belongs to a later shift shows as a step back, and is repeated.
    public override long GetTimestamp()
    {
        for (int attempt = 1; ; attempt++)
        {
            Shift shift = Volatile.Read(ref _shift);
            long stamp = Raw() + shift.Ahead;
            long last = Volatile.Read(ref _last);
            if (stamp < last - Tolerance)
                StepBack(shift);
            else if (stamp - (double)last < JumpSeconds * TimestampFrequency || TryStepForth(shift, stamp))
                return Latest(stamp);
            if (attempt == MaxAttempts)
                return last;
        }
    }

    /// <summary>Declares ticks of the present stamp as time that did not pass: a later step back over them is not one.</summary>
    internal void Ignore(long ticks) => _ignored = ticks * (TimestampFrequency / (double)TimeSpan.TicksPerSecond);

    private long Raw() => _hasStamps ? _time.GetTimestamp() : _time.GetUtcNow().UtcTicks;

    // Raises the last stamp, and returns the greater: time stands still while the provider is a little behind.
    private long Latest(long stamp)
    {
        while (true)
        {
            long last = Volatile.Read(ref _last);
            if (stamp <= last || Interlocked.CompareExchange(ref _last, stamp, last) == last)
                return Math.Max(stamp, last);
        }
    }

    // The provider is read without a lock: it may call the cache, or wait for a thread that does. It is read again here, since the early
    // stamp may be an old reading. A reading from before another thread handled a step is discarded. The step is measured from the last
    // stamp of before the reading: what others return behind it is time that passed.
    private void StepBack(Shift shift)
    {
        long last = Volatile.Read(ref _last);
        long stamp = Raw() + shift.Ahead;
        long clock = _time.GetUtcNow().UtcTicks;
        lock (_stepping)
        {
            long back = last - stamp;
            if (_shift != shift || back <= Tolerance)
                return;
            Volatile.Write(ref _shift, new Shift(shift.Ahead + back));
            double ignored = Math.Min(_ignored, back);
            _ignored -= ignored;
            if (back - ignored > Tolerance)
                _onStep((long)((back - ignored) * (TimeSpan.TicksPerSecond / (double)TimestampFrequency)), clock);
        }
    }

    // Returns whether the jump is time that passed; else the shift takes it back.
    private bool TryStepForth(Shift shift, long stamp)
    {
        if (_time.GetUtcNow().UtcTicks <= CacheClock.LatestClock && _isBelieved(stamp))
            return true;
        lock (_stepping)
        {
            double forth = stamp - (double)Volatile.Read(ref _last);
            if (_shift != shift || forth >= long.MaxValue)
                return false;
            _ignored += forth;
            Volatile.Write(ref _shift, new Shift(shift.Ahead - (stamp - _last)));
            return false;
        }
    }

    /// <summary>The stamps added to those of the provider. A new object for each step, compared by reference.</summary>
    private sealed class Shift(long ahead)
    {
        internal long Ahead => ahead;
    }
}
