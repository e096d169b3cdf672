using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Entering and leaving the table. A change of what calls depend on waits until no thread is in a critical region.</summary>
internal sealed partial class TableCore
{
    private const int Open = 0; // all calls enter
    private const int Closed = 1; // for good, unless a drop fails: calls throw
    private const int Paused = 2; // calls wait

    /// <summary>Open, Closed or Paused. Paused and back under <see cref="ConfigurationLock"/>.</summary>
    private int _state;

    /// <summary>Whether a closed table was dropped, which selects the exception.</summary>
    private bool _isDropped;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadScope EnterReader()
    {
        CriticalRegion critical = Pile.Barrier.EnterReader();
        // The region, then the state. CloseToDrop and RunPausedLocked store the state, and then wait for quiescence with a process-wide
        // barrier: this thread sees their state, or they wait for its region.
        if (Volatile.Read(ref _state) != Open)
            EnterSlow(critical);
        return new ReadScope(critical, Pile.Blocks);
    }

    /// <summary>As <see cref="EnterReader"/>, for a call that may change the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ChangeScope EnterWriter()
    {
        Pile.Blocks.EnsureShadowCapacity(); // a free under a bucket's lock can't flush
        CriticalRegion critical = Pile.Barrier.EnterWriter();
        if (Volatile.Read(ref _state) != Open)
            EnterSlow(critical);
        return new ChangeScope(critical, Pile.Blocks);
    }

    /// <summary>As <see cref="EnterWriter"/>, for work after <see cref="Close"/>.</summary>
    internal ChangeScope EnterWriterClosed()
    {
        Debug.Assert(IsClosed, "A pause is waited for, not bypassed.");
        Pile.Blocks.EnsureShadowCapacity();
        return Pile.Blocks.EnterWriter();
    }

    /// <summary>
    /// Whether the table is open. While the calling thread stays in its critical region, a drop, a disposal or a pause does not complete.
    /// </summary>
    internal bool IsOpen => Volatile.Read(ref _state) == Open;

    internal bool IsClosed => Volatile.Read(ref _state) == Closed;

    /// <summary>Refuses later calls, and waits for a change of options that runs. Other running calls go on.</summary>
    internal void Close()
    {
        Volatile.Write(ref _state, Closed);
        ConfigurationLock.WaitUntilFree(); // its holder walks the index outside a critical region
    }

    /// <summary>Refuses later calls with the exception of a dropped table, and waits until running calls have ended.</summary>
    internal void CloseToDrop()
    {
        Volatile.Write(ref _isDropped, true); // before the state: a caller that sees it closed reads this
        Close();
        PileRegions.WaitForQuiescence();
    }

    /// <summary>Reopens the table after <see cref="CloseToDrop"/>.</summary>
    internal void Reopen()
    {
        Volatile.Write(ref _state, Open);
        Volatile.Write(ref _isDropped, false);
    }

    /// <summary>
    /// Makes a change while no thread is in the table. A table closed meanwhile stays closed; its index exists while
    /// <see cref="ConfigurationLock"/> is held.
    /// </summary>
    internal void RunPausedLocked(Action change)
    {
        if (Interlocked.CompareExchange(ref _state, Paused, Open) == Closed)
            ThrowClosed();
        try
        {
            PileRegions.WaitForQuiescence();
            change();
        }
        finally
        {
            _ = Interlocked.CompareExchange(ref _state, Open, Paused); // Closed stays
        }
    }

    private void EnterSlow(CriticalRegion critical)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            critical.Exit(); // before it waits, as the pause waits for the region
            if (Volatile.Read(ref _state) == Closed)
                ThrowClosed();
            if (critical.IsOpen && critical.IsAwaited && Volatile.Read(ref _state) == Paused)
                ThrowConfiguring(); // Configure waits for this thread: spinning would deadlock
            spinner.SpinOnce();
            // Also for a reader: as a writer it may wait for a flush, no more.
            _ = Pile.Barrier.EnterWriter();
            if (Volatile.Read(ref _state) == Open)
                return;
        }
    }

    private void ThrowClosed() => throw (Volatile.Read(ref _isDropped)
        ? new TableDroppedException(Name)
        : new ObjectDisposedException(nameof(PileCache), $"The cache of the table '{Name}' was disposed."));

    private void ThrowConfiguring() => throw new InvalidOperationException(
        $"The table '{Name}' is being configured, and can't be used meanwhile by code that a call runs, such as a codec or a comparer.");
}
