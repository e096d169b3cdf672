using System;
using System.Threading;

namespace BigPile.Caching.Clocks;

/// <summary>
/// The time stamps of a provider of the application, and from its clock where it has none of its own: never backwards, and never forth
/// to where no clock is believed, as the stamps of most such providers go with a clock that is set.
/// </summary>
internal sealed class SteadyTime : TimeProvider
{
    private const int MaxAttempts = 3;
    private const double JumpSeconds = 366.0 * 86_400; // less is time that went by, or a clock that was set by as much

    private readonly TimeProvider _time;
    private readonly Lock _stepping;
    private readonly Action<long, long> _onStep;
    private readonly Func<double, bool> _isBelieved;
    private readonly bool _hasStamps;
    private long _last; // the greatest stamp that was given
    private Shift _shift = new(0);
    private double _ignored; // how far the stamps went forth that no time went by

    /// <summary>Begins with the provider's present stamp.</summary>
    /// <param name="time">The application's provider.</param>
    /// <param name="stepping">Is held while a step is dealt with.</param>
    /// <param name="onStep">
    /// Is told by how many ticks the provider went backwards, and the ticks of its clock behind that, before the next stamp.
    /// </param>
    /// <param name="isBelieved">Whether time may go on to a stamp at once.</param>
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

    // The shift is read before the provider: so what is read of that is of this shift, or of a later one, and then found to be early.
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

    /// <summary>States that the present stamp has so many ticks that no time went by in: a way back over them is none.</summary>
    internal void Ignore(long ticks) => _ignored = ticks * (TimestampFrequency / (double)TimeSpan.TicksPerSecond);

    private long Raw() => _hasStamps ? _time.GetTimestamp() : _time.GetUtcNow().UtcTicks;

    // It stands for a moment where the provider went back by little, or was read long ago.
    private long Latest(long stamp)
    {
        while (true)
        {
            long last = Volatile.Read(ref _last);
            if (stamp <= last || Interlocked.CompareExchange(ref _last, stamp, last) == last)
                return Math.Max(stamp, last);
        }
    }

    // The provider is read under no lock: it may call the cache, or wait for somebody who does. It is read again, since the stamp that was
    // found to be early may have been read long ago; and what was read before another thread dealt with a step says nothing.
    private void StepBack(Shift shift)
    {
        long stamp = Raw() + shift.Ahead;
        long clock = _time.GetUtcNow().UtcTicks;
        lock (_stepping)
        {
            long back = Volatile.Read(ref _last) - stamp;
            if (_shift != shift || back <= Tolerance)
                return;
            Volatile.Write(ref _shift, new Shift(shift.Ahead + back));
            double ignored = Math.Min(_ignored, back);
            _ignored -= ignored;
            if (back - ignored > Tolerance)
                _onStep((long)((back - ignored) * (TimeSpan.TicksPerSecond / (double)TimestampFrequency)), clock);
        }
    }

    // Gives whether it is time that went by.
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

    /// <summary>What is added to the provider's stamps; another object for each step.</summary>
    private sealed class Shift(long ahead)
    {
        internal long Ahead => ahead;
    }
}
