using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Ports.Waiting;

/// <summary>Two lines of shared memory by which one side wakes the other: the word slept on, and how many sleep.</summary>
/// <remarks>
/// Who waits announces itself, fences, looks once more, and sleeps. Who rings has stored what is waited for, fences, and looks whether
/// anybody is announced. Each fence pairs with the other: one of the two sees what the other one stored. The count is a hint only: one
/// who died announced leaves it too high, which costs a call to the system at each ring, and no sleep lasts longer than a slice.
/// One that is relayed wakes one sleeper, which wakes the next: so many cost who rings no more than one. A process that is stopped, or
/// dies, while it sleeps breaks the chain once, and the others come at the end of their slice, or with the next ring.
/// </remarks>
internal readonly unsafe struct WakeEvent(byte* at, bool isRelayed = false)
{
    private const int SleepersAt = 64;

    /// <summary>How often it was rung so that somebody could hear it; it goes round.</summary>
    internal uint Signals => Volatile.Read(ref Word);

    private ref uint Word => ref Unsafe.AsRef<uint>(at);

    private ref int Sleepers => ref Unsafe.AsRef<int>(at + SleepersAt);

    /// <summary>The same bell, for those who wake each other.</summary>
    internal WakeEvent Relayed() => new(at, isRelayed: true);

    /// <summary>Wakes who waits, if anybody does. What is waited for is stored already.</summary>
    internal void Signal()
    {
        Interlocked.MemoryBarrier(); // pairs with that in Sleep
        if (Volatile.Read(ref Sleepers) != 0)
            SignalAlways();
    }

    /// <summary>Wakes who waits, also one that is about to.</summary>
    internal void SignalAlways()
    {
        Interlocked.Increment(ref Word); // a full fence, also for the sleepers
        Wake(isRelayed ? 1 : int.MaxValue);
    }

    /// <summary>Sleeps until the bell is rung, unless what is waited for is there.</summary>
    internal void Sleep<TEvent>(TEvent awaited, TimeSpan timeout) where TEvent : struct, IAwaited
    {
        Interlocked.Increment(ref Sleepers); // a full fence; pairs with that in Ring
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
