using System;
using System.Threading;

namespace BigPile.Caching.Clocks;

/// <summary>The time stamps of a provider of the application: never backwards, and from its clock where it has none of its own.</summary>
/// <param name="time">The application's provider.</param>
/// <param name="stepping">Is held while a step is dealt with.</param>
/// <param name="onStep">
/// Is told by how many ticks the provider went backwards, and the ticks of its clock behind that, before the next stamp.
/// </param>
internal sealed class SteadyTime(TimeProvider time, Lock stepping, Action<long, long> onStep) : TimeProvider
{
    private readonly bool _hasStamps = new Func<long>(time.GetTimestamp).Method.DeclaringType != typeof(TimeProvider);
    private long _latest = long.MinValue / 2;
    private long _ahead;
    private long _stepCount;

    public override long TimestampFrequency => _hasStamps ? time.TimestampFrequency : TimeSpan.TicksPerSecond;

    private long Tolerance => TimestampFrequency;

    public override DateTimeOffset GetUtcNow() => time.GetUtcNow();

    public override long GetTimestamp()
    {
        long raw = Raw();
        if (raw < Volatile.Read(ref _latest) - Tolerance)
            StepBack();
        else if (raw > Volatile.Read(ref _latest))
            Volatile.Write(ref _latest, raw);
        return raw + Volatile.Read(ref _ahead);
    }

    private long Raw() => _hasStamps ? time.GetTimestamp() : time.GetUtcNow().UtcTicks;

    // The provider is read under no lock: it may call the cache, or wait for somebody who does. It is read again, since the stamp that was
    // found to be early may have been read long ago; and what was read before another thread dealt with a step says nothing.
    private void StepBack()
    {
        long count = Volatile.Read(ref _stepCount);
        long latest = Volatile.Read(ref _latest);
        long back = latest - Raw();
        if (back <= Tolerance)
            return;
        long clock = time.GetUtcNow().UtcTicks;
        lock (stepping)
        {
            if (_stepCount != count)
                return;
            Volatile.Write(ref _stepCount, count + 1);
            Volatile.Write(ref _ahead, _ahead + back);
            Volatile.Write(ref _latest, latest - back);
            onStep((long)(back * (TimeSpan.TicksPerSecond / (double)TimestampFrequency)), clock);
        }
    }
}
