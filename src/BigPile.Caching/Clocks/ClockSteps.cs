using System;

namespace BigPile.Caching.Clocks;

/// <summary>By how much the cache's time runs ahead of the clock by which older instants were written down.</summary>
/// <remarks>
/// The cache's time goes on where the clock was set back, so an instant from before the clock had run ahead is nearer than it looks. So
/// is one from before the cache's time went forth with a clock that was set. An instant is told by its number alone: what was written
/// down under the clock that was ahead lies above all that the right clock says, and what was before a way forth lies below its end.
/// Immutable.
/// </remarks>
internal sealed class ClockSteps
{
    internal static readonly ClockSteps None = new([]);

    private const int MaxSteps = 32;

    private readonly (long UpTo, long By)[] _steps;

    private ClockSteps((long UpTo, long By)[] steps) => _steps = steps;

    internal bool IsAny => _steps.Length != 0;

    /// <summary>The most that an instant may be off.</summary>
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

    /// <summary>The steps with one more: instants up to one are that much nearer from now on. Of too many the first is forgotten.</summary>
    internal ClockSteps With(long upTo, long by) =>
        new([.. _steps.AsSpan(_steps.Length == MaxSteps ? 1 : 0), (upTo, by)]);

    /// <summary>What has to be added to an instant.</summary>
    internal long At(long instant)
    {
        long sum = 0;
        foreach ((long upTo, long by) in _steps)
            sum = CacheClock.Add(sum, instant <= upTo ? by : 0);
        return sum;
    }
}
