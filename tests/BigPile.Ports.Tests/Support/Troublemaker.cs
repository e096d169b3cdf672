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

    // What is rare is likelier to be where it happens, and one is held up longest where two come together seldom.
    private (bool IsKill, long Microseconds) Choose(Step step)
    {
        bool isRare = step is Step.SlotLocked or Step.PortsCleaned or Step.ObjectCleaned or Step.SlotCleaned or Step.Adopted
            or Step.MemberNamed or Step.MemberPlaced or Step.MemberAdded or Step.MemberRemoved;
        bool isSeldom = step is Step.NobodyFound or Step.SlowestFound or Step.FloorRaised
            or Step.MemberPlaced or Step.MemberAdded;
        int oneIn = isSeldom ? delayOneIn / 30 : delayOneIn;
        lock (_lock)
        {
            bool isKill = killOneIn != 0 && _random.Next(isRare ? Math.Max(1, killOneIn / 200) : killOneIn) == 0;
            return (isKill, oneIn != 0 && _random.Next(oneIn) == 0 ? _random.Next(2000) : 0);
        }
    }
}
