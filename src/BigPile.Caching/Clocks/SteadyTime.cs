using System;
using System.Threading;

namespace BigPile.Caching.Clocks;

/// <summary>The time stamps of a provider of the application: never backwards, and from its clock where it has none of its own.</summary>
/// <param name="time">The application's provider.</param>
/// <param name="stepping">Is held while a step is dealt with.</param>
/// <param name="onStep">Is told by how many ticks the provider went backwards, before the next stamp.</param>
internal sealed class SteadyTime(TimeProvider time, Lock stepping, Action<long> onStep) : TimeProvider
{
    private readonly bool _hasStamps = new Func<long>(time.GetTimestamp).Method.DeclaringType != typeof(TimeProvider);
    private long _latest = long.MinValue / 2;
    private long _ahead;

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

    private void StepBack()
    {
        lock (stepping)
        {
            long back = _latest - Raw();
            if (back <= Tolerance)
                return; // another thread was here
            Volatile.Write(ref _ahead, _ahead + back);
            Volatile.Write(ref _latest, _latest - back);
            onStep((long)(back * (TimeSpan.TicksPerSecond / (double)TimestampFrequency)));
        }
    }
}
