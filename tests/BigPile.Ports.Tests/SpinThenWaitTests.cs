using System;
using System.Linq;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Tests;

/// <summary>Looking again and again costs the core that the peer may be waiting for: it is given up where it is in vain.</summary>
public sealed unsafe class SpinThenWaitTests
{
    private const int WaitsUntilTried = 257;
    private static readonly TimeSpan Spin = TimeSpan.FromMicroseconds(50);
    private static readonly TimeSpan Timeout = 4 * Spin;

    private int _pollsLeft;

    [LinuxFact]
    public void Looking_is_given_up_where_it_is_in_vain_and_taken_up_where_it_is_not()
    {
        if (Environment.ProcessorCount > 1) // else nobody spins there at all
            Eventually.True(IsGivenUpAndTakenUp); // again where a spin took too long, as the system had stopped this thread
    }

    private bool IsGivenUpAndTakenUp()
    {
        byte* lines = stackalloc byte[128];
        var wakeEvent = new WakeEvent(lines);
        var waiter = new SpinThenWait(Spin);
        if (!Wait(waiter, wakeEvent, polls: 8)) // at first it spins
            return false;
        int polled = 0;
        for (int wait = 0; wait < 2 * WaitsUntilTried; wait++)
        {
            _ = Wait(waiter, wakeEvent, polls: int.MaxValue);
            polled += int.MaxValue - _pollsLeft > 8 ? 1 : 0;
        }
        if (polled is < 3 or > 12)
            return false;
        int waits = 1;
        while (waits <= WaitsUntilTried && !Wait(waiter, wakeEvent, polls: 8))
            waits++;
        return waits <= WaitsUntilTried && Enumerable.Range(0, WaitsUntilTried).All(_ => Wait(waiter, wakeEvent, polls: 8));
    }

    private bool Wait(SpinThenWait waiter, WakeEvent wakeEvent, int polls)
    {
        _pollsLeft = polls;
        return waiter.Wait(wakeEvent, new AfterPolls(this), Timeout);
    }

    private readonly struct AfterPolls(SpinThenWaitTests test) : IAwaited
    {
        public bool IsThere => --test._pollsLeft == 0;
    }
}
