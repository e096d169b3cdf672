using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Files.Concurrency;

/// <summary>Which file each thread is in, so that memory is unmapped, and a file cut or closed, only when nobody uses it.</summary>
/// <remarks>
/// Each thread has a word of its own that only it writes: bits 23..0 are the number of the file that it is in, or 0, and bits 63..24
/// count how often it left one. Entering costs a plain store and no fence. The other side pays: <see cref="WaitForQuiescence"/> issues a
/// process-wide barrier, which makes every entry that came before visible to it, and everything that it published before visible to
/// every later entry. This pairs with the plain store in <see cref="Enter"/> and the loads that each call does behind it. No code of a
/// user's runs inside, and nobody waits for a lock there.
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

#pragma warning disable CS0169, IDE0051 // there for its size: structures come last, so this keeps the next object's fields away
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    /// <summary>The calling thread's word.</summary>
    internal static FileCriticalRegion Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current ?? Register();
    }

    /// <summary>
    /// A number for a file. Another file has the same one after 16 million more, which costs but a wait for the wrong readers.
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

    /// <summary>Returns when every thread that was in the file at the call has left it. The caller must be outside.</summary>
    internal static void WaitForQuiescence(long file)
    {
        Debug.Assert((Current._state & FileMask) == 0, "The calling thread would wait for itself.");
        FileCriticalRegion[] all = Snapshot();
        Interlocked.MemoryBarrierProcessWide();
        foreach (FileCriticalRegion other in all)
            other.WaitUntilExited(file);
    }

    // Who registers behind it has come through the lock, and sees what its caller published.
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
            All.RemoveAll(static known => !known.TryGetTarget(out _)); // of threads that ended, which were outside
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
