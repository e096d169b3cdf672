using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>
/// An event in two cache lines of shared memory, by which one side wakes the other: the word that is slept on, and the number of sleepers.
/// </summary>
/// <remarks>
/// <para>
/// A waiter counts itself as a sleeper, fences, checks the condition again, and sleeps. A signaller has stored the condition, fences, and
/// reads the number of sleepers. The two fences pair: one of the two sees the other's store. The count is only a hint: a process that dies
/// asleep leaves it too high, which costs a system call per signal. A wait for a peer sleeps no longer than a slice
/// (<see cref="SpinThenWait"/>); the threads of a process that have nothing to wait for sleep until a signal.
/// </para>
/// <para>
/// A relayed event wakes one sleeper, which wakes the next, so many sleepers cost the signaller no more than one. A process that is
/// stopped, or dies, while it sleeps breaks the chain once: the others wake at the end of their slice, or with the next signal.
/// </para>
/// </remarks>
internal readonly unsafe struct WakeEvent(byte* at, bool isRelayed = false)
{
    private const int SleepersAt = 64;

    /// <summary>The number of signals that a sleeper could have seen; it wraps.</summary>
    internal uint Signals => Volatile.Read(ref Word);

    private ref uint Word => ref Unsafe.AsRef<uint>(at);

    private ref int Sleepers => ref Unsafe.AsRef<int>(at + SleepersAt);

    /// <summary>The same event, for waiters that wake each other.</summary>
    internal WakeEvent Relayed() => new(at, isRelayed: true);

    /// <summary>Wakes sleepers, if there are any. The condition is stored already.</summary>
    internal void Signal()
    {
        Interlocked.MemoryBarrier(); // pairs with that in Sleep
        if (Volatile.Read(ref Sleepers) != 0)
            SignalAlways();
    }

    /// <summary>Wakes sleepers, including one that is about to sleep.</summary>
    internal void SignalAlways()
    {
        Interlocked.Increment(ref Word); // a full fence, also for the number of sleepers
        Wake(isRelayed ? 1 : int.MaxValue);
    }

    /// <summary>Sleeps until the event is signalled, unless the condition already holds.</summary>
    internal void Sleep<TEvent>(TEvent awaited, TimeSpan timeout) where TEvent : struct, IAwaited
    {
        Interlocked.Increment(ref Sleepers); // a full fence; pairs with that in Signal
        uint seen = Volatile.Read(ref Word);
        if (!awaited.IsThere)
            Sleep(seen, timeout);
        int others = Interlocked.Decrement(ref Sleepers);
        if (isRelayed && others != 0 && (Signals != seen || awaited.IsThere))
            Wake(1);
    }

    private void Wake(int most)
    {
        if (OperatingSystem.IsLinux())
            Futex.Wake((uint*)at, most);
        else
            NamedWakeEvents.Wake((uint*)at, Math.Min(most, Volatile.Read(ref Sleepers)));
    }

    private void Sleep(uint seen, TimeSpan timeout)
    {
        if (OperatingSystem.IsLinux())
            Futex.Sleep((uint*)at, seen, timeout);
        else
            NamedWakeEvents.Sleep((uint*)at, seen, timeout);
    }
}
