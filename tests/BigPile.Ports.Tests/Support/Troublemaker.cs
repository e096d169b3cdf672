using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>Holds a process up between two stores, or kills it there: no kill from outside hits a window of nanoseconds.</summary>
internal sealed class Troublemaker(int seed, int killOneIn, int delayOneIn)
{
    private readonly Lock _lock = new();
    private readonly Random _random = new(seed);

    /// <summary>Makes this process stop at a step, and say so; it is killed there.</summary>
    internal static void StopAt(PortCrashPoint step) => CrashPointHook<PortCrashPoint>.Passed = at =>
    {
        if (at != step)
            return;
        Console.WriteLine("stopped");
        Console.ReadLine();
    };

    internal void At(PortCrashPoint step)
    {
        (bool isKill, long microseconds) = Choose(step);
        if (isKill)
            Process.GetCurrentProcess().Kill();
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMicroseconds < microseconds)
            Thread.Yield();
    }

    // What is rare is likelier to be where it happens, and one is held up longest where two come together seldom.
    private (bool IsKill, long Microseconds) Choose(PortCrashPoint step)
    {
        bool isRare = step is PortCrashPoint.SlotLocked or PortCrashPoint.PortsCleaned or PortCrashPoint.ObjectCleaned
            or PortCrashPoint.SlotCleaned or PortCrashPoint.TakenOver
            or PortCrashPoint.MemberNamed or PortCrashPoint.MemberPlaced or PortCrashPoint.MemberAdded or PortCrashPoint.MemberRemoved;
        bool isSeldom = step is PortCrashPoint.NobodyFound or PortCrashPoint.SlowestFound or PortCrashPoint.FloorRaised
            or PortCrashPoint.MemberPlaced or PortCrashPoint.MemberAdded;
        int oneIn = isSeldom ? delayOneIn / 30 : delayOneIn;
        lock (_lock)
        {
            bool isKill = killOneIn != 0 && _random.Next(isRare ? Math.Max(1, killOneIn / 200) : killOneIn) == 0;
            return (isKill, oneIn != 0 && _random.Next(oneIn) == 0 ? _random.Next(2000) : 0);
        }
    }
}
