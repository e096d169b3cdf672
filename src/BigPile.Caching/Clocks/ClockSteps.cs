using System;

namespace BigPile.Caching.Clocks;

/// <summary>Corrections of stored instants, for each step between cache time and the clock that they were stored by.</summary>
/// <remarks>
/// When the clock is set back, cache time advances evenly, so instants from before the clock ran ahead must be raised. The same holds for
/// instants from before cache time followed a clock that was set forward. The value of an instant alone decides whether a step applies:
/// instants stored by the clock that was ahead are above all of the right clock, and those from before a step forward are below its end.
/// Immutable.
/// </remarks>
internal sealed class ClockSteps
{
    internal static readonly ClockSteps None = new([]);

    private const int MaxSteps = 32;

    private readonly (long UpTo, long By)[] _steps; // add By ticks to instants up to UpTo; from the oldest step

    private ClockSteps((long UpTo, long By)[] steps) => _steps = steps;

    internal bool IsAny => _steps.Length != 0;

    /// <summary>The largest correction of any instant, in ticks.</summary>
    internal long Most
    {
        get
        {
            long most = 0;
            foreach ((_, long by) in _steps)
                most = CacheClock.Add(most, by);
            return most;
        }
    }

    /// <summary>Adds a step: instants up to a limit are raised by some ticks. Beyond 32 steps the oldest is dropped.</summary>
    internal ClockSteps With(long upTo, long by) =>
        new([.. _steps.AsSpan(_steps.Length == MaxSteps ? 1 : 0), (upTo, by)]);

    /// <summary>The ticks to add to a stored instant.</summary>
    internal long At(long instant)
    {
        long sum = 0;
        foreach ((long upTo, long by) in _steps)
            sum = CacheClock.Add(sum, instant <= upTo ? by : 0);
        return sum;
    }
}
