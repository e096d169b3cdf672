using System;
using System.Diagnostics;

namespace BigPile.Ports.Waiting;

/// <summary>The end of a wait.</summary>
internal readonly struct Deadline
{
    private readonly long _end;

    /// <summary>Starts a timeout; <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> never ends.</summary>
    internal Deadline(TimeSpan timeout)
    {
        bool isEndless = timeout == System.Threading.Timeout.InfiniteTimeSpan;
        if (!isEndless)
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        double ticks = timeout.TotalSeconds * Stopwatch.Frequency;
        _end = isEndless || ticks > long.MaxValue / 2 ? long.MaxValue : Stopwatch.GetTimestamp() + (long)ticks;
    }

    /// <summary>The time that is left; zero if it has passed.</summary>
    internal TimeSpan Left
    {
        get
        {
            if (_end == long.MaxValue)
                return TimeSpan.MaxValue;
            long left = _end - Stopwatch.GetTimestamp();
            return left <= 0 ? TimeSpan.Zero : TimeSpan.FromSeconds((double)left / Stopwatch.Frequency);
        }
    }
}
