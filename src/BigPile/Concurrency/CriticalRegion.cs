using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Concurrency;

/// <summary>A thread's read-side critical region, as in RCU: while it is open, no memory that it may read is unmapped.</summary>
/// <remarks>
/// Each thread has a state word that only it writes: bits 15..0 are the nesting depth, bits 63..16 count how often it left altogether.
/// Entering is a plain store without a fence; <see cref="WaitForQuiescence"/> pays with a process-wide barrier instead.
/// Thread safety: instance members belong to the thread itself, static ones may be called concurrently.
/// </remarks>
internal sealed class CriticalRegion : CacheLineIsolated
{
    private const long DepthMask = 0xFFFF;
    private const long OnePass = DepthMask + 1;

    private static readonly Lock Registering = new(); // protects All and FreeNumbers
    private static readonly List<Registration> All = []; // one per thread; weak, so that ended threads are collected
    private static readonly Stack<int> FreeNumbers = new(); // numbers of threads that ended

    [ThreadStatic]
    private static CriticalRegion? _current;

    private static int _registered; // threads so far; spreads them over the heaps

    private long _state; // depth and passes, as above; written by the thread itself
    private long _awaitedPass; // the pass, from 1, that another thread waits for the end of; written by that one

#pragma warning disable CS0169, IDE0051 // padding: the runtime lays structs out last, so this keeps the next object's fields off the line
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    private CriticalRegion(int number)
    {
        Number = number;
        Heap = Interlocked.Increment(ref _registered);
    }

    /// <summary>Registered threads; those that ended are removed when a new one registers after a collection. For tests.</summary>
    internal static int KnownCount
    {
        get
        {
            lock (Registering)
                return All.Count;
        }
    }

    /// <summary>The calling thread's region.</summary>
    internal static CriticalRegion Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current ?? Register();
    }

    /// <summary>A number from 0 that no other living thread has; numbers of threads that ended are reused.</summary>
    internal int Number { get; }

    /// <summary>The heap that the thread allocates from, modulo a pile's number of heaps. Written by the thread itself.</summary>
    internal int Heap { get; set; }

    /// <summary>Whether the calling thread is in a critical region.</summary>
    internal bool IsInRegion => (_state & DepthMask) != 0;

    /// <summary>Whether the calling thread is in a nested critical region.</summary>
    internal bool IsNested => (_state & DepthMask) > 1;

    /// <summary>How often the calling thread has left its outermost region. For tests.</summary>
    internal long PassCount => _state / OnePass;

    /// <summary>
    /// Whether another thread waits for the present outermost region to end, and began to wait after it was entered.
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

    /// <summary>Waits until every thread that is in a critical region now has left it once. The caller must not be in one.</summary>
    internal static void WaitForQuiescence()
    {
        ThrowIfInRegion();
        CriticalRegion[] all = Snapshot();
        // Makes every earlier entry visible here, and everything published before visible to every later entry. Pairs with the plain store
        // in Enter and the loads behind it, which have no fence of their own.
        Interlocked.MemoryBarrierProcessWide();
        foreach (CriticalRegion other in all)
            other.WaitUntilLeft();
    }

    /// <summary>
    /// Throws if the calling thread is in a critical region: a call that waits for quiescence would wait for itself. Called before any
    /// change.
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

    // What a thread wrote under its number happened before it ended, and so before the number has a new owner.
    private static bool IsOver(Registration registration)
    {
        if (registration.Region.TryGetTarget(out _))
            return false;
        FreeNumbers.Push(registration.Number);
        return true;
    }

    // From 1, so that 0 means that no thread has ever waited for this one.
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
