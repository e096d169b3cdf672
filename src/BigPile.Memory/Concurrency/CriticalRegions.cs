using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Memory.Concurrency;

/// <summary>The critical regions of all threads that use one kind of memory: epoch-based reclamation, one epoch a thread.</summary>
/// <remarks>
/// The owner keeps each thread's region in a thread-static field of its own, and registers it at first use. Thread safety: all members may
/// be called concurrently.
/// </remarks>
internal sealed class CriticalRegions
{
    private readonly Lock _registering = new(); // protects what follows
    private readonly List<Registration> _all = []; // one for each thread; weak, so that ended threads are collected
    private readonly Stack<int> _freeNumbers = new(); // numbers of threads that ended
    private int _registered; // threads so far; spreads them over shards

    /// <summary>Registered threads; those that ended are removed when a new one registers after a collection. For tests.</summary>
    internal int KnownCount
    {
        get
        {
            lock (_registering)
                return _all.Count;
        }
    }

    /// <summary>Makes the calling thread's region. The thread keeps it alive as long as it lives.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal CriticalRegion Register()
    {
        lock (_registering)
        {
            _all.RemoveAll(IsOver);
            int number = _freeNumbers.TryPop(out int free) ? free : _all.Count;
            var region = new CriticalRegion(number, ++_registered);
            _all.Add(new Registration(new WeakReference<CriticalRegion>(region), number));
            return region;
        }
    }

    /// <summary>Waits until every thread that is in a critical region now has left it once.</summary>
    /// <param name="own">The calling thread's region, which must not be open: it would wait for itself.</param>
    internal void WaitForQuiescence(CriticalRegion own)
    {
        foreach (CriticalRegion other in AsOfNow(own))
            other.WaitUntilLeft();
    }

    /// <summary>The critical regions that other threads are in now, entered to change something.</summary>
    /// <param name="own">The calling thread's region, which must not be open.</param>
    internal List<CriticalRegion.Visit> Changing(CriticalRegion own)
    {
        var changing = new List<CriticalRegion.Visit>();
        foreach (CriticalRegion other in AsOfNow(own))
        {
            if (other.Change is { } visit)
                changing.Add(visit);
        }
        return changing;
    }

    private CriticalRegion[] AsOfNow(CriticalRegion own)
    {
        Debug.Assert(!own.IsOpen, "The calling thread would wait for itself.");
        // A thread that registers later has taken the lock after this, and so sees what the caller has published.
        CriticalRegion[] all = Snapshot();
        // Makes every earlier entry visible here, and everything published before visible to every later entry. Pairs with the plain store
        // in Enter and the loads behind it, which have no fence of their own.
        if (!MemoryMutation.NoProcessWideBarrier)
            Interlocked.MemoryBarrierProcessWide();
        return all;
    }

    private CriticalRegion[] Snapshot()
    {
        lock (_registering)
        {
            var all = new List<CriticalRegion>(_all.Count);
            foreach (Registration registration in _all)
            {
                if (registration.Region.TryGetTarget(out CriticalRegion? region))
                    all.Add(region);
            }
            return [.. all];
        }
    }

    // What a thread wrote under its number happened before it ended, and so before the number has a new owner.
    private bool IsOver(Registration registration)
    {
        if (registration.Region.TryGetTarget(out _))
            return false;
        _freeNumbers.Push(registration.Number);
        return true;
    }

    private readonly record struct Registration(WeakReference<CriticalRegion> Region, int Number);
}
