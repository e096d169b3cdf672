using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Perf.Messages;

/// <summary>Pins the calling thread to one of the process's cores, until the same thread disposes it.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe partial class ThreadPin : IDisposable
{
    private const int Words = 16; // 1,024 processors
    private const int WordBits = 64;

    private readonly ulong[] _before = new ulong[Words];

    private ThreadPin(Func<int[], int> choose)
    {
        fixed (ulong* words = _before)
        {
            if (GetAffinity(0, Words * sizeof(ulong), words) < 0)
                throw new LoadException("The system does not say which cores there are. Leave --pin out.");
        }
        int core = choose([.. CoresOf(_before)]);
        var one = new ulong[Words];
        one[core / WordBits] = 1UL << (core % WordBits);
        Set(one);
    }

    /// <summary>The first core.</summary>
    internal static ThreadPin OfSender() => new(static cores => cores[0]);

    /// <summary>One of the others, in turns.</summary>
    internal static ThreadPin OfReceiver(int lane) => new(cores => cores.Length == 1 ? cores[0] : cores[1 + (lane % (cores.Length - 1))]);

    public void Dispose() => Set(_before);

    private static IEnumerable<int> CoresOf(ulong[] words) => Enumerable.Range(0, Words * WordBits)
        .Where(core => (words[core / WordBits] & (1UL << (core % WordBits))) != 0);

    private static void Set(ulong[] wanted)
    {
        fixed (ulong* words = wanted)
        {
            if (SetAffinity(0, Words * sizeof(ulong), words) != 0)
                throw new LoadException("The system does not let a thread stay on a core. Leave --pin out.");
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static partial int GetAffinity(int thread, nuint lengthBytes, ulong* words);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static partial int SetAffinity(int thread, nuint lengthBytes, ulong* words);
}
