using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

/// <summary>Admits operations to a pile: all, only readers for a moment, only readers for good, or none.</summary>
/// <remarks>
/// A flush must see only complete changes: it blocks writers, waits until those that are inside have left, takes its snapshot, and unblocks
/// them. A nested call in a region that the flush waits for passes; any other writer waits. Lock order: the flush lock, then
/// <see cref="Closing"/>, then the exclusive lock. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="directory">The directory of a mapped pile, for error messages.</param>
internal sealed class OperationBarrier(string? directory)
{
    private const string PileName = "Pile"; // the public type, for exceptions
    private const int Open = 0; // all are admitted
    private const int WritersBlocked = 1; // readers, and writers that a flush waits for
    private const int ReadersOnly = 2; // for good
    private const int Closed = 3; // for good

    private readonly Lock _exclusive = new(); // held while writers are blocked: they wait for it
    // One of the constants above; written under Closing (WritersBlocked also under _exclusive), or at opening; read by every operation.
    private int _state;
    private List<CriticalRegion.Visit> _awaited = []; // who was inside as a writer when writers were blocked last; replaced as a whole

    /// <summary>Held by the thread that closes the pile, trims memory, or blocks writers.</summary>
    internal Lock Closing { get; } = new();

    internal bool IsClosed => Volatile.Read(ref _state) == Closed;

    /// <summary>Enters a critical region as a reader. Each call is paired with an exit in a finally block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion EnterReader()
    {
        CriticalRegion critical = PileRegions.Current;
        // A store, and then the load of the state. RunExclusive and Close store the state, and then issue a process-wide barrier
        // (PileRegions.WaitForQuiescence): this thread sees their state, or they see its region and wait.
        critical.Enter();
        if (Volatile.Read(ref _state) == Closed)
            ExitAndThrowClosed(critical);
        return critical;
    }

    /// <summary>As <see cref="EnterReader"/>, but returns <see langword="false"/> if the pile is closed.</summary>
    internal bool TryEnterReader(out CriticalRegion critical)
    {
        critical = PileRegions.Current;
        critical.Enter();
        if (Volatile.Read(ref _state) != Closed)
            return true;
        critical.Exit();
        return false;
    }

    /// <summary>Enters a critical region as a writer. The caller holds no lock that others wait for within a region.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion EnterWriter()
    {
        CriticalRegion critical = PileRegions.Current;
        critical.EnterChanging(); // the order of EnterReader
        if (Volatile.Read(ref _state) != Open)
            WaitUntilOpen(critical);
        return critical;
    }

    /// <summary>Blocks writers for good: the pile is open for reading only.</summary>
    internal void BlockWriters()
    {
        Debug.Assert(_state == Open, "A pile is opened for reading once, and before it is closed.");
        Volatile.Write(ref _state, ReadersOnly);
    }

    /// <summary>
    /// Admits no operation any more; returns once all have left. The caller is outside of any region, and holds <see cref="Closing"/>.
    /// </summary>
    internal void Close()
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "The closing thread would wait for itself.");
        Volatile.Write(ref _state, Closed); // before the wait: who enters later is refused
        PileRegions.WaitForQuiescence();
    }

    /// <summary>Runs an action while writers are blocked. The caller is outside of any region.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    internal void RunExclusive(Action action)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "The thread that blocks writers would wait for itself.");
        lock (Closing)
        {
            if (IsClosed)
                throw new ObjectDisposedException(PileName);
            lock (_exclusive)
            {
                Debug.Assert(_state == Open, "The state returns to open afterwards, so it must be open before.");
                Volatile.Write(ref _state, WritersBlocked);
                try
                {
                    List<CriticalRegion.Visit> awaited = PileRegions.Writers();
                    Volatile.Write(ref _awaited, awaited); // before the wait: their nested calls pass
                    foreach (CriticalRegion.Visit writer in awaited)
                        writer.WaitUntilLeft(); // then every change is complete
                    action();
                }
                finally
                {
                    Volatile.Write(ref _state, Open); // also if the action threw: writers must not wait forever
                }
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WaitUntilOpen(CriticalRegion critical)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            int state = Volatile.Read(ref _state);
            if (state == Closed)
                ExitAndThrowClosed(critical);
            if (state == ReadersOnly)
                ExitAndThrowReadOnly(critical);
            if (state == Open || (critical.IsNested && IsAwaited(critical))) // the flush waits for the outer call: let it end
                return;
            if (critical.IsNested)
            {
                // The outer call entered as a reader, or another pile: if the flush waits for it, this loop passes once it has said so; if
                // not, the flush ends soon.
                spinner.SpinOnce(sleep1Threshold: -1);
                continue;
            }
            critical.Exit(); // the flush waits for this region, and this thread for the flush
            _exclusive.WaitUntilFree(); // until writers are admitted again
            critical.EnterChanging(); // the loop loads the state again: another flush may have begun
        }
    }

    private bool IsAwaited(CriticalRegion own)
    {
        foreach (CriticalRegion.Visit writer in Volatile.Read(ref _awaited))
        {
            if (writer.IsOf(own)) // of an earlier flush none is: that one waited until it had ended
                return true;
        }
        return false;
    }

    [DoesNotReturn]
    private void ExitAndThrowReadOnly(CriticalRegion critical)
    {
        critical.Exit();
        Throw.ReadOnly(directory);
    }

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ExitAndThrowClosed(CriticalRegion critical)
    {
        critical.Exit();
        throw new ObjectDisposedException(PileName);
    }
}
