using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Access;

/// <summary>Who may come into a pile: everybody, readers only for an instant, readers only for good, or nobody any more.</summary>
/// <remarks>
/// A flush must see whole changes only. It closes the gate to calls that change something, waits until every thread that was inside has
/// left, copies what changed, and opens the gate. A call within a call that it waits for passes; any other one waits.
/// Locks: the flush's, then the closing's, then the gate's.
/// Memory ordering: coming in is a store to the thread's own word and then a load of the state. Who closes the gate stores the state, and
/// then waits by <see cref="CriticalRegion.WaitForQuiescence"/>, whose process-wide barrier makes one of the two see the other.
/// </remarks>
/// <param name="directory">The directory of a mapped pile, for what is said to those who are refused.</param>
internal sealed class OperationBarrier(string? directory)
{
    private const string PileName = "Pile"; // the type that the caller knows
    private const int Open = 0;
    private const int WritersBlocked = 1;
    private const int ReadersOnly = 2;
    private const int Closed = 3;

    private readonly Lock _exclusive = new();
    private int _state;

    /// <summary>Held by whoever closes the pile or gives memory back.</summary>
    internal Lock Closing { get; } = new();

    /// <summary>Whether the pile was closed.</summary>
    internal bool IsClosed => Volatile.Read(ref _state) == Closed;

    /// <summary>Makes the calling thread known as being inside the pile. Each call is paired with an exit in a finally block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion EnterReader()
    {
        CriticalRegion critical = CriticalRegion.Current;
        critical.Enter();
        if (Volatile.Read(ref _state) == Closed)
            ExitAndThrowClosed(critical);
        return critical;
    }

    /// <summary>As <see cref="EnterReader"/>; a closed pile is not entered, and <see langword="false"/> comes back.</summary>
    internal bool TryEnterReader(out CriticalRegion critical)
    {
        critical = CriticalRegion.Current;
        critical.Enter();
        if (Volatile.Read(ref _state) != Closed)
            return true;
        critical.Exit();
        return false;
    }

    /// <summary>
    /// As <see cref="EnterReader"/>, for a call that changes something. A caller holds no lock that others inside the pile wait for.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion EnterWriter()
    {
        CriticalRegion critical = CriticalRegion.Current;
        critical.Enter();
        if (Volatile.Read(ref _state) != Open)
            WaitUntilOpen(critical);
        return critical;
    }

    /// <summary>Lets readers in, and nobody who changes something.</summary>
    internal void BlockWriters()
    {
        Debug.Assert(_state == Open, "A pile is opened for reading once, and before it is closed.");
        Volatile.Write(ref _state, ReadersOnly);
    }

    /// <summary>Lets nobody in any more; returns once everybody has left. The caller is outside, and holds <see cref="Closing"/>.</summary>
    internal void Close()
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "Whoever closes the gate would wait for itself.");
        Volatile.Write(ref _state, Closed);
        CriticalRegion.WaitForQuiescence();
    }

    /// <summary>Runs something while nothing changes. The caller is outside of all calls.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    internal void RunExclusive(Action action)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "Whoever keeps the pile still would wait for itself.");
        lock (Closing)
        {
            if (IsClosed)
                throw new ObjectDisposedException(PileName);
            lock (_exclusive)
            {
                Debug.Assert(_state == Open, "The gate is open again behind this: so it was open, and not for readers only.");
                Volatile.Write(ref _state, WritersBlocked);
                try
                {
                    CriticalRegion.WaitForQuiescence();
                    action();
                }
                finally
                {
                    Volatile.Write(ref _state, Open);
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
            if (state == Open || (critical.IsNested && critical.IsAwaited))
                return;
            if (critical.IsNested)
            {
                // It came in as a reader, or into another pile: the flush either waits for it, or is over soon.
                spinner.SpinOnce(sleep1Threshold: -1);
                continue;
            }
            critical.Exit();
            lock (_exclusive)
            {
                // nothing: whoever comes here waits until the gate is open again
            }
            critical.Enter();
        }
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
