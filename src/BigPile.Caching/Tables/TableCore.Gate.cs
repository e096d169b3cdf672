using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>The way in and out: calls are inside, and who changes what they go by waits until nobody is.</summary>
internal sealed partial class TableCore
{
    private const int Open = 0;
    private const int Closed = 1;
    private const int Paused = 2;

    private int _state;
    private bool _isDropped;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion EnterReader()
    {
        CriticalRegion critical = Pile.Barrier.EnterReader();
        return Volatile.Read(ref _state) == Open ? critical : EnterSlow(critical);
    }

    /// <summary>As <see cref="EnterReader"/>, for a call that may change something in the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion EnterWriter()
    {
        Pile.Blocks.EnsureShadowCapacity(); // what is freed under a bucket's lock can't flush
        CriticalRegion critical = Pile.Barrier.EnterWriter();
        return Volatile.Read(ref _state) == Open ? critical : EnterSlow(critical);
    }

    /// <summary>As <see cref="EnterWriter"/>, for what is still to be done behind <see cref="Close"/>.</summary>
    internal CriticalRegion EnterWriterClosed()
    {
        Debug.Assert(IsClosed, "Whoever pauses a table is to be waited for.");
        Pile.Blocks.EnsureShadowCapacity();
        return Pile.Barrier.EnterWriter();
    }

    /// <summary>
    /// Whether the table can be used, for a thread that is inside the pile: as long as it stays there, nobody closes or changes it.
    /// </summary>
    internal bool IsOpen => Volatile.Read(ref _state) == Open;

    /// <summary>Whether all later calls are refused.</summary>
    internal bool IsClosed => Volatile.Read(ref _state) == Closed;

    /// <summary>Refuses all later calls, and waits until nobody changes the options any more; other calls that run may end.</summary>
    internal void Close()
    {
        Volatile.Write(ref _state, Closed);
        lock (ConfigurationLock)
        {
            // nothing: who holds it walks through the index without being inside
        }
    }

    /// <summary>Refuses all later calls as those of a table that was dropped, and waits until those that run have ended.</summary>
    internal void CloseToDrop()
    {
        Volatile.Write(ref _isDropped, true); // before the state, by which others come to look at it
        Close();
        CriticalRegion.WaitForQuiescence();
    }

    /// <summary>Has the table be as it was before <see cref="CloseToDrop"/>.</summary>
    internal void Reopen()
    {
        Volatile.Write(ref _state, Open);
        Volatile.Write(ref _isDropped, false);
    }

    /// <summary>
    /// Makes a change while nobody is inside. A table that was closed meanwhile stays closed; its index is there as long as
    /// <see cref="ConfigurationLock"/> is held.
    /// </summary>
    internal void RunPausedLocked(Action change)
    {
        if (Interlocked.CompareExchange(ref _state, Paused, Open) == Closed)
            ThrowClosed();
        try
        {
            CriticalRegion.WaitForQuiescence();
            change();
        }
        finally
        {
            _ = Interlocked.CompareExchange(ref _state, Open, Paused);
        }
    }

    private CriticalRegion EnterSlow(CriticalRegion critical)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            Pile.Blocks.Exit(critical);
            if (Volatile.Read(ref _state) == Closed)
                ThrowClosed();
            if (critical.IsInRegion && critical.IsAwaited && Volatile.Read(ref _state) == Paused)
                ThrowConfiguring(); // whoever changes the options waits for this very thread
            spinner.SpinOnce();
            critical = Pile.Barrier.EnterWriter();
            if (Volatile.Read(ref _state) == Open)
                return critical;
        }
    }

    private void ThrowClosed() => throw (Volatile.Read(ref _isDropped)
        ? new TableDroppedException(Name)
        : new ObjectDisposedException(nameof(PileCache), $"The cache of the table '{Name}' was disposed."));

    private void ThrowConfiguring() => throw new InvalidOperationException(
        $"The table '{Name}' is being configured, and can't be used meanwhile by code that a call runs, such as a codec or a comparer.");
}
