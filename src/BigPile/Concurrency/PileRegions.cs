using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Memory.Concurrency;

namespace BigPile.Concurrency;

/// <summary>The critical regions of threads inside calls of piles and tables.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal static class PileRegions
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

    /// <summary>Registered threads; those that ended are removed when a new one registers after a collection. For tests.</summary>
    internal static int KnownCount => All.KnownCount;

    /// <summary>Waits until every thread that is in a critical region now has left it once. The caller must not be in one.</summary>
    internal static void WaitForQuiescence()
    {
        ThrowIfInRegion();
        All.WaitForQuiescence(Current);
    }

    /// <summary>The critical regions that other threads are in now, as writers of any pile. The caller must not be in one.</summary>
    internal static List<CriticalRegion.Visit> Writers()
    {
        ThrowIfInRegion();
        return All.Changing(Current);
    }

    /// <summary>
    /// Throws if the calling thread is in a critical region: a call that waits for quiescence would wait for itself. Called before any
    /// change.
    /// </summary>
    internal static void ThrowIfInRegion()
    {
        if (Current.IsOpen)
        {
            throw new InvalidOperationException(
                "A pile can't be opened, closed, flushed or trimmed, and a table can't be configured, by code that runs inside one of "
                + "their own calls, such as a codec or a comparer. Do it once the call has returned.");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CriticalRegion Register() => _current = All.Register();
}
