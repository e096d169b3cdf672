using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>How one end waits: it looks again and again for a while, which saves two switches of the processor, and then sleeps.</summary>
/// <remarks>
/// The while is halved after a look in vain and doubled after one that found something, between a tenth of what is allowed and all of it.
/// Each sixteenth time all of it is tried: a peer that always takes a little longer than the while would never be met else.
/// Thread safety: may be used by several threads; that they share the while costs nothing but its aim.
/// </remarks>
internal sealed class Patience
{
    /// <summary>The longest sleep: so late at most a peer's death is looked for.</summary>
    internal static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(50);

    private const int LooksPerTime = 16; // asking for the time costs as much as a pause

    private const int WaitsPerTry = 16;

    private readonly long _most;
    private long _ticks;
    private int _waits;

    internal Patience(TimeSpan spin)
    {
        _most = Environment.ProcessorCount == 1 ? 0 : (long)(spin.TotalSeconds * Stopwatch.Frequency);
        _ticks = _most;
    }

    /// <summary>Waits until something has come, for a slice at most.</summary>
    /// <returns>Whether it has come; who is told no may also have been woken by chance.</returns>
    internal bool Wait<TEvent>(Doorbell bell, TEvent awaited, TimeSpan timeout) where TEvent : struct, IAwaited
    {
        if (Spin(awaited, timeout))
            return true;
        bell.Sleep(awaited, timeout < Slice ? timeout : Slice);
        return awaited.IsThere;
    }

    private bool Spin<TEvent>(TEvent awaited, TimeSpan timeout) where TEvent : struct, IAwaited
    {
        long budget = ++_waits % WaitsPerTry == 0 ? _most : _ticks;
        long ticks = Math.Min(budget, (long)(timeout.TotalSeconds * Stopwatch.Frequency));
        if (ticks == 0)
            return awaited.IsThere;
        long end = Stopwatch.GetTimestamp() + ticks;
        do
        {
            for (int look = 0; look < LooksPerTime; look++)
            {
                if (awaited.IsThere)
                {
                    _ticks = Math.Min(budget * 2, _most);
                    return true;
                }
                Thread.SpinWait(1);
            }
        }
        while (Stopwatch.GetTimestamp() < end);
        _ticks = Math.Max(_ticks / 2, _most / 10);
        return false;
    }
}
