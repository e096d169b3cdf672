using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>Holds a process up between two stores, or kills it there: no kill from outside hits a window of nanoseconds.</summary>
internal sealed class Troublemaker(int seed, int killOneIn, int delayOneIn)
{
    private readonly Lock _lock = new();
    private readonly Random _random = new(seed);

    internal void At(Step step)
    {
        (bool isKill, long microseconds) = Choose(step);
        if (isKill)
            Process.GetCurrentProcess().Kill();
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMicroseconds < microseconds)
            Thread.Yield();
    }

    // What is rare is likelier to be where it happens.
    private (bool IsKill, long Microseconds) Choose(Step step)
    {
        bool isRare = step is Step.SlotLocked or Step.PortsCleaned or Step.ObjectCleaned or Step.SlotCleaned or Step.Adopted
            or Step.MemberNamed or Step.MemberPlaced or Step.MemberAdded or Step.MemberRemoved;
        lock (_lock)
        {
            bool isKill = killOneIn != 0 && _random.Next(isRare ? Math.Max(1, killOneIn / 200) : killOneIn) == 0;
            return (isKill, delayOneIn != 0 && _random.Next(delayOneIn) == 0 ? _random.Next(2000) : 0);
        }
    }
}
