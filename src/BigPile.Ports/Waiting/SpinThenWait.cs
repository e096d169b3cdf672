using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>How one end waits: it looks again and again for a while, which saves two switches of the processor, and then sleeps.</summary>
/// <remarks>
/// Looking pays when the peer runs on another processor meanwhile. Where it does not, because both share one or others keep all busy, it
/// takes the time that the peer needs: so behind a while that was in vain, or over so late that the thread itself was held up, the next
/// wait sleeps at once, behind the second one the next two, then four, up to so many that a while among them is next to nothing. One that
/// finds something in time begins anew. Thread safety: may be used by several threads; that they share it costs nothing but its aim.
/// </remarks>
internal sealed class SpinThenWait
{
    /// <summary>The longest sleep: so late at most a peer's death is looked for.</summary>
    internal static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(50);

    private const int PollsPerTimestamp = 16; // asking for the time costs as much as a pause

    private const int MostSleeps = 256;

    private readonly long _maxSpinTicks;
    private int _sleeps; // how many waits slept at once behind the last while
    private int _sleepsLeft;

    internal SpinThenWait(TimeSpan spin) =>
        _maxSpinTicks = Environment.ProcessorCount == 1 ? 0 : (long)(spin.TotalSeconds * Stopwatch.Frequency);

    /// <summary>Waits until something has come, for a slice at most.</summary>
    /// <returns>Whether it has come; who is told no may also have been woken by chance.</returns>
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
