using System;
using System.Threading;

namespace BigPile.Caching.SingleFlight;

/// <summary>How long a caller waits for the run of another one.</summary>
/// <param name="Limit">The time; <see cref="Timeout.InfiniteTimeSpan"/>: as long as it takes.</param>
/// <param name="Time">The clock.</param>
internal readonly record struct FlightTimeout(TimeSpan Limit, TimeProvider Time)
{
    /// <summary>That of a caller with the run that it began itself.</summary>
    internal static FlightTimeout Infinite => new(Timeout.InfiniteTimeSpan, TimeProvider.System);
}
