using System;
using System.Threading;

namespace BigPile.Caching.SingleFlight;

/// <summary>How long a caller waits for another caller's run.</summary>
/// <param name="Limit">The time limit, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
/// <param name="Time">The clock.</param>
internal readonly record struct FlightTimeout(TimeSpan Limit, TimeProvider Time)
{
    /// <summary>The timeout of the caller that began the run: none.</summary>
    internal static FlightTimeout Infinite => new(Timeout.InfiniteTimeSpan, TimeProvider.System);
}
