using System;
using System.Runtime.CompilerServices;
using BigPile.Memory.Concurrency;

namespace BigPile.Files.Concurrency;

/// <summary>
/// The critical regions of threads in files. Memory is unmapped, and a file cut or closed, only once all regions that were open have ended.
/// </summary>
/// <remarks>
/// They are apart from those of piles: a table may use a file inside a call of the pile, and wait there until others have left the file.
/// Inside a region no user code runs, and nothing waits for a lock; so it hardly matters that a wait includes readers of other files.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal static class FileRegions
{
    private static readonly CriticalRegions All = new();

    [ThreadStatic]
    private static CriticalRegion? _current;

    /// <summary>The calling thread's region.</summary>
    internal static CriticalRegion Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current ?? Register();
    }

    /// <summary>Returns when every region that was open has ended. The calling thread must be in none.</summary>
    internal static void WaitForQuiescence() => All.WaitForQuiescence(Current);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CriticalRegion Register() => _current = All.Register();
}
