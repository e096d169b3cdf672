using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Files.Concurrency;

/// <summary>
/// Critical regions of threads in a file. Memory is unmapped, and a file cut or closed, only once all regions that were open in it have
/// ended.
/// </summary>
/// <remarks>
/// Each thread has a word that only it writes: bits 23..0, the number of the file that it is in, or 0; bits 63..24, how many regions it has
/// left. Entering is a plain store without a fence. The other side pays: <see cref="WaitForQuiescence"/> issues a process-wide barrier,
/// which makes every earlier entry visible to it, and everything that it published before visible to every later entry. The barrier pairs
/// with the store in <see cref="Enter"/> and the loads after it. Inside a region no user code runs, and nothing waits for a lock.
/// </remarks>
internal sealed class FileCriticalRegion : CacheLineIsolated
{
    private const long FileMask = (1 << 24) - 1;

    private static readonly Lock Registering = new();
    private static readonly List<WeakReference<FileCriticalRegion>> All = [];

    [ThreadStatic]
    private static FileCriticalRegion? _current;

    private static long _files;

    private long _state;

#pragma warning disable CS0169, IDE0051 // padding: structures come last, so this keeps the next object's fields on other lines
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    /// <summary>The calling thread's region.</summary>
    internal static FileCriticalRegion Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current ?? Register();
    }

    /// <summary>
    /// Assigns a number to a file. Numbers repeat after 16 million files; then a wait may include readers of another file.
    /// </summary>
    internal static long NextFile() => Interlocked.Increment(ref _files) % FileMask + 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter(long file)
    {
        Debug.Assert((_state & FileMask) == 0, "A thread is in one file at a time.");
        Volatile.Write(ref _state, _state | file);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit() => Volatile.Write(ref _state, (_state | FileMask) + 1);

    /// <summary>Returns when every region that was open in the file has ended. The calling thread must be in none.</summary>
    internal static void WaitForQuiescence(long file)
    {
        Debug.Assert((Current._state & FileMask) == 0, "The calling thread would wait for itself.");
        FileCriticalRegion[] all = Snapshot();
        Interlocked.MemoryBarrierProcessWide();
        foreach (FileCriticalRegion other in all)
            other.WaitUntilExited(file);
    }

    // A thread that registers later has taken the lock after this, and so sees what the caller has published.
    private static FileCriticalRegion[] Snapshot()
    {
        lock (Registering)
        {
            var all = new List<FileCriticalRegion>(All.Count);
            foreach (WeakReference<FileCriticalRegion> known in All)
            {
                if (known.TryGetTarget(out FileCriticalRegion? critical))
                    all.Add(critical);
            }
            return [.. all];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static FileCriticalRegion Register()
    {
        lock (Registering)
        {
            All.RemoveAll(static known => !known.TryGetTarget(out _)); // threads that have ended, outside of all regions
            var critical = new FileCriticalRegion();
            All.Add(new WeakReference<FileCriticalRegion>(critical));
            return _current = critical;
        }
    }

    private void WaitUntilExited(long file)
    {
        long seen = Volatile.Read(ref _state);
        if ((seen & FileMask) != file)
            return;
        var spinner = default(SpinWait);
        while (Volatile.Read(ref _state) == seen)
            spinner.SpinOnce();
    }
}
