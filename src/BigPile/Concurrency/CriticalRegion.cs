using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Concurrency;

/// <summary>Which threads are inside a call of any pile, so that memory is given back only when nobody can be reading it.</summary>
/// <remarks>
/// Each thread has a word of its own that only it writes: bits 15..0 count how deep it is inside, bits 63..16 how often it left.
/// Entering costs a plain store and no fence. The other side pays: <see cref="WaitForQuiescence"/> issues a process-wide barrier, which
/// makes every entry that came before visible to it, and everything that it published before visible to every later entry. This pairs
/// with the plain store in <see cref="Enter"/> and the load that each call does behind it.
/// </remarks>
internal sealed class CriticalRegion : CacheLineIsolated
{
    private const long DepthMask = 0xFFFF;
    private const long OnePass = DepthMask + 1;

    private static readonly Lock Registering = new();
    private static readonly List<Registration> All = [];
    private static readonly Stack<int> FreeNumbers = new();

    [ThreadStatic]
    private static CriticalRegion? _current;

    private static int _registered;

    private long _state;
    private long _awaitedPass;

#pragma warning disable CS0169, IDE0051 // there for its size: structures come last, so this keeps the next object's fields away
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    private CriticalRegion(int number)
    {
        Number = number;
        Heap = Interlocked.Increment(ref _registered);
    }

    /// <summary>Threads that are known; those that ended are forgotten when a new one comes after a collection. For tests.</summary>
    internal static int KnownCount
    {
        get
        {
            lock (Registering)
                return All.Count;
        }
    }

    /// <summary>The calling thread's word.</summary>
    internal static CriticalRegion Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current ?? Register();
    }

    /// <summary>A number from 0 that no other living thread has; those of threads that ended are given out again.</summary>
    internal int Number { get; }

    /// <summary>Which of a pile's heaps the thread allocates from, modulo their number. Only the thread itself changes it.</summary>
    internal int Heap { get; set; }

    /// <summary>Whether the calling thread is inside a call.</summary>
    internal bool IsInRegion => (_state & DepthMask) != 0;

    /// <summary>Whether the calling thread is inside a call within a call.</summary>
    internal bool IsNested => (_state & DepthMask) > 1;

    /// <summary>How often the calling thread has left altogether. For tests.</summary>
    internal long PassCount => _state / OnePass;

    /// <summary>
    /// Whether somebody waits for the calling thread to leave, and has waited since before its outermost call could know of it.
    /// </summary>
    internal bool IsAwaited => Volatile.Read(ref _awaitedPass) == PassOf(_state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter() => Volatile.Write(ref _state, _state + 1);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit()
    {
        long state = _state - 1;
        if ((state & DepthMask) == 0)
            state += OnePass;
        Volatile.Write(ref _state, state);
    }

    /// <summary>Returns when every thread that was inside at the call has left at least once. The caller must be outside.</summary>
    internal static void WaitForQuiescence()
    {
        ThrowIfInRegion();
        CriticalRegion[] all = Snapshot();
        Interlocked.MemoryBarrierProcessWide();
        foreach (CriticalRegion other in all)
            other.WaitUntilLeft();
    }

    /// <summary>
    /// Refuses a call that will wait for others, before it has changed anything: the calling thread would wait for itself.
    /// </summary>
    internal static void ThrowIfInRegion()
    {
        if (Current.IsInRegion)
        {
            throw new InvalidOperationException(
                "A pile can't be opened, closed, flushed or trimmed, and a table can't be configured, by code that runs inside one of "
                + "their own calls, "
                + "such as a codec or a comparer. Do it once the call has returned.");
        }
    }

    private static CriticalRegion[] Snapshot()
    {
        lock (Registering)
        {
            var all = new List<CriticalRegion>(All.Count);
            foreach (Registration registration in All)
            {
                if (registration.Region.TryGetTarget(out CriticalRegion? region))
                    all.Add(region);
            }
            return [.. all];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CriticalRegion Register()
    {
        lock (Registering)
        {
            All.RemoveAll(IsOver);
            int number = FreeNumbers.TryPop(out int free) ? free : All.Count;
            _current = new CriticalRegion(number);
            All.Add(new Registration(new WeakReference<CriticalRegion>(_current), number));
            return _current;
        }
    }

    // What a thread wrote under its number was written before it ended, and so before the next owner of the number is there.
    private static bool IsOver(Registration registration)
    {
        if (registration.Region.TryGetTarget(out _))
            return false;
        FreeNumbers.Push(registration.Number);
        return true;
    }

    // From 1, so that a thread that nobody ever waited for is not taken for one that is awaited.
    private static long PassOf(long state) => state / OnePass + 1;

    private void WaitUntilLeft()
    {
        long seen = Volatile.Read(ref _state);
        if ((seen & DepthMask) == 0)
            return;
        Volatile.Write(ref _awaitedPass, PassOf(seen));
        var spinner = default(SpinWait);
        while (Volatile.Read(ref _state) / OnePass == seen / OnePass)
            spinner.SpinOnce();
    }

    private readonly record struct Registration(WeakReference<CriticalRegion> Region, int Number);
}
