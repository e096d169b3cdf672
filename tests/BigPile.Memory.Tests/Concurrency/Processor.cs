using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Keeps the two threads of a litmus test on two processors: beside other load they would run in turn on one.</summary>
internal static partial class Processor
{
    private const int MaskBytes = 128;

    /// <summary>Keeps the calling thread, for good, on the first or the last processor that it may use. Only on Linux.</summary>
    internal static void Pin(bool toFirst)
    {
        var mask = new byte[MaskBytes];
        if (!OperatingSystem.IsLinux() || GetAffinity(0, MaskBytes, mask) < 0)
            return;
        var allowed = new List<int>();
        for (int i = 0; i < MaskBytes * 8; i++)
        {
            if ((mask[i / 8] >> (i % 8) & 1) != 0)
                allowed.Add(i);
        }
        int processor = toFirst ? allowed[0] : allowed[^1];
        Array.Clear(mask);
        mask[processor / 8] = (byte)(1 << (processor % 8));
        _ = SetAffinity(0, MaskBytes, mask);
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static partial int GetAffinity(int thread, nint maskBytes, [Out] byte[] mask);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static partial int SetAffinity(int thread, nint maskBytes, byte[] mask);
}
