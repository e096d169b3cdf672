using System;
using System.Threading;

namespace BigPile.Http.Security;

/// <summary>A token bucket without lock or timer: it stores the instant at which it would be full again.</summary>
/// <remarks>
/// The generic cell rate algorithm (ITU-T I.371), equivalent to a token bucket. The limiters of System.Threading.RateLimiting read their
/// own clock, so tests could not control them. Thread safety: all members may be called concurrently.
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

    /// <summary>Creates a full bucket.</summary>
    /// <param name="requestsPerSecond">Permits refilled per second.</param>
    /// <param name="burst">The capacity, in permits.</param>
    /// <param name="time">The clock.</param>
    internal RequestRate(double requestsPerSecond, int burst, TimeProvider time)
    {
        _time = time;
        _ticksPerRequest = Math.Max(1, (long)(time.TimestampFrequency / requestsPerSecond));
        _ticksOfBurst = _ticksPerRequest * burst;
        _fullAt = time.GetTimestamp();
    }

    /// <summary>Takes a permit.</summary>
    /// <param name="wait">The time until the next permit, if there is none now.</param>
    internal bool TryTake(out TimeSpan wait)
    {
        while (true)
        {
            long now = _time.GetTimestamp();
            long was = Volatile.Read(ref _fullAt);
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
