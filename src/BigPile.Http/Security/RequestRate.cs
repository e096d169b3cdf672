using System;
using System.Threading;

namespace BigPile.Http.Security;

/// <summary>A token bucket without a lock and without a timer: it keeps the instant at which it would be full again.</summary>
/// <remarks>
/// The generic cell rate algorithm (ITU-T I.371), which admits what a token bucket does. The limiters of System.Threading.RateLimiting
/// read a clock of their own, so that what they do can't be replayed. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class RequestRate
{
    internal const double Lowest = 0.001;
    internal const double Highest = 10_000_000;
    internal const int HighestBurst = 10_000_000;

    private readonly TimeProvider _time;
    private readonly long _ticksPerRequest;
    private readonly long _ticksOfBurst;
    private long _fullAt;

    /// <summary>Makes a full bucket.</summary>
    /// <param name="requestsPerSecond">How many permits come back in a second.</param>
    /// <param name="burst">How many it holds.</param>
    /// <param name="time">The clock.</param>
    internal RequestRate(double requestsPerSecond, int burst, TimeProvider time)
    {
        _time = time;
        _ticksPerRequest = Math.Max(1, (long)(time.TimestampFrequency / requestsPerSecond));
        _ticksOfBurst = _ticksPerRequest * burst;
        _fullAt = time.GetTimestamp();
    }

    /// <summary>Takes a permit.</summary>
    /// <param name="wait">When there is none: how long until there is one.</param>
    internal bool TryTake(out TimeSpan wait)
    {
        while (true)
        {
            long now = _time.GetTimestamp();
            long was = Interlocked.Read(ref _fullAt);
            long becomes = Math.Max(was, now) + _ticksPerRequest;
            long missing = becomes - now - _ticksOfBurst;
            wait = missing > 0 ? TimeSpan.FromSeconds(missing / (double)_time.TimestampFrequency) : TimeSpan.Zero;
            if (missing > 0)
                return false;
            if (Interlocked.CompareExchange(ref _fullAt, becomes, was) == was)
                return true;
        }
    }
}
