using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>A wait: it polls for a while, which saves two context switches, and then sleeps.</summary>
/// <remarks>
/// Spinning pays if the peer runs on another processor meanwhile. If it does not, because both share one or all are busy, spinning takes
/// the time that the peer needs. So after a spin that was in vain, or that ended so late that the thread itself was preempted, the next
/// wait sleeps at once; after the second such spin the next two, then four, up to MostSleeps. A spin that succeeds in time resets this.
/// Thread safety: several threads may share it; a race only makes it adapt less precisely.
/// </remarks>
internal sealed class SpinThenWait
{
    /// <summary>The longest sleep, and so the delay after which a peer's death is checked.</summary>
    internal static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(50);

    private const int PollsPerTimestamp = 16; // reading the clock costs as much as a pause

    private const int MostSleeps = 256;

    private readonly long _maxSpinTicks;
    private int _sleeps; // how many waits sleep at once after the last spin
    private int _sleepsLeft;

    internal SpinThenWait(TimeSpan spin) =>
        _maxSpinTicks = Environment.ProcessorCount == 1 ? 0 : (long)(spin.TotalSeconds * Stopwatch.Frequency);

    /// <summary>Waits until the condition holds, at most for a slice.</summary>
    /// <returns>Whether the condition holds; <see langword="false"/> may also be a spurious wake-up.</returns>
    internal bool Wait<TEvent>(WakeEvent wakeEvent, TEvent awaited, TimeSpan timeout) where TEvent : struct, IAwaited
    {
        if (Spin(awaited, timeout))
            return true;
        wakeEvent.Sleep(awaited, timeout < Slice ? timeout : Slice);
        return awaited.IsThere;
    }

    private bool Spin<TEvent>(TEvent awaited, TimeSpan timeout) where TEvent : struct, IAwaited
    {
        long ticks = Math.Min(_maxSpinTicks, (long)(timeout.TotalSeconds * Stopwatch.Frequency));
        if (awaited.IsThere)
            return true;
        Debug.Assert(ticks >= 0, "A deadline leaves no negative time.");
        if (ticks == 0 || _sleepsLeft-- > 0)
            return false;
        long end = Stopwatch.GetTimestamp() + ticks;
        bool isThere;
        do
        {
            isThere = Poll(awaited);
        }
        while (!isThere && Stopwatch.GetTimestamp() < end);
        _sleeps = isThere && Stopwatch.GetTimestamp() < end ? 0 : Math.Clamp(_sleeps * 2, 1, MostSleeps);
        Debug.Assert(_sleeps is >= 0 and <= MostSleeps, "A wait tries to spin again after a while, however many race here.");
        _sleepsLeft = _sleeps;
        return isThere;
    }

    private static bool Poll<TEvent>(TEvent awaited) where TEvent : struct, IAwaited
    {
        for (int poll = 0; poll < PollsPerTimestamp; poll++)
        {
            if (awaited.IsThere)
                return true;
            Thread.SpinWait(1);
        }
        return false;
    }
}

/// <summary>A condition to wait for. Checking it is cheap.</summary>
internal interface IAwaited
{
    /// <summary>Whether it holds.</summary>
    bool IsThere { get; }
}
