using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Entering and leaving the table. A change of what calls depend on waits until no thread is in a critical region.</summary>
internal sealed partial class TableEngine
{
    private const int Open = (int)TableState.Open; // as the interlocked field has it

    /// <summary>A <see cref="TableState"/>. Paused and back under <see cref="ConfigurationLock"/>.</summary>
    private int _state;

    /// <summary>Held while the options are changed.</summary>
    internal Lock ConfigurationLock { get; } = new();

    /// <summary>
    /// Whether the table is open. While the calling thread stays in its critical region, a drop, a disposal or a pause does not complete.
    /// </summary>
    internal bool IsOpen => Volatile.Read(ref _state) == Open;

    /// <summary>Whether the table is closed or dropped.</summary>
    internal bool IsClosed => Volatile.Read(ref _state) >= (int)TableState.Closed;

    /// <summary>Whether the table is dropped, or its drop is under way.</summary>
    internal bool IsDropped => Volatile.Read(ref _state) == (int)TableState.Dropped;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadScope EnterReader()
    {
        CriticalRegion critical = Heap.BeginRead();
        // The region, then the state. CloseToDrop and RunPausedLocked store the state, and then wait for quiescence with a process-wide
        // barrier: this thread sees their state, or they wait for its region.
        if (Volatile.Read(ref _state) != Open)
            EnterSlow(critical);
        return Heap.ScopeOf(critical);
    }

    /// <summary>As <see cref="EnterReader"/>, for a call that may change the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ChangeScope EnterWriter()
    {
        Heap.EnsureShadowCapacity(); // a free under a bucket's lock can't flush
        CriticalRegion critical = Heap.BeginWrite();
        if (Volatile.Read(ref _state) != Open)
            EnterSlow(critical);
        return Heap.ChangeScopeOf(critical);
    }

    /// <summary>As <see cref="EnterWriter"/>, for work after <see cref="Close()"/>.</summary>
    internal ChangeScope EnterWriterClosed()
    {
        Debug.Assert(IsClosed, "A pause is waited for, not bypassed.");
        Heap.EnsureShadowCapacity();
        return Heap.EnterWriter();
    }

    /// <summary>Refuses later calls, and waits for a change of options that runs. Other running calls go on.</summary>
    internal void Close() => Close(TableState.Closed);

    /// <summary>Refuses later calls with the exception of a dropped table, and waits until running calls have ended.</summary>
    internal void CloseToDrop()
    {
        Close(TableState.Dropped);
        PileRegions.WaitForQuiescence();
    }

    /// <summary>Reopens the table after <see cref="CloseToDrop"/>.</summary>
    internal void Reopen() => Volatile.Write(ref _state, Open);

    private void Close(TableState state)
    {
        Volatile.Write(ref _state, (int)state);
        ConfigurationLock.WaitUntilFree(); // its holder walks the index outside a critical region
    }

    /// <summary>
    /// Makes a change while no thread is in the table. A table closed meanwhile stays closed; its index exists while
    /// <see cref="ConfigurationLock"/> is held.
    /// </summary>
    internal void RunPausedLocked(Action change)
    {
        if (Interlocked.CompareExchange(ref _state, (int)TableState.Paused, Open) >= (int)TableState.Closed)
            ThrowClosed();
        try
        {
            PileRegions.WaitForQuiescence();
            change();
        }
        finally
        {
            _ = Interlocked.CompareExchange(ref _state, Open, (int)TableState.Paused); // Closed stays
        }
    }

    private void EnterSlow(CriticalRegion critical)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            critical.Exit(); // before it waits, as the pause waits for the region
            if (IsClosed)
                ThrowClosed();
            if (critical.IsOpen && critical.IsAwaited && Volatile.Read(ref _state) == (int)TableState.Paused)
                ThrowConfiguring(); // Configure waits for this thread: spinning would deadlock
            spinner.SpinOnce();
            // Also for a reader: as a writer it may wait for a flush, no more.
            _ = Heap.BeginWrite();
            if (Volatile.Read(ref _state) == Open)
                return;
        }
    }

    private void ThrowClosed() => throw (IsDropped
        ? new TableDroppedException(Name)
        : new ObjectDisposedException(nameof(PileCache), $"The cache of the table '{Name}' was disposed."));

    private void ThrowConfiguring() => throw new InvalidOperationException(
        $"The table '{Name}' is being configured, and can't be used meanwhile by code that a call runs, such as a codec or a comparer.");
}

/// <summary>Who may enter a table. Open and Paused alternate; Closed is for good, and Dropped unless the drop fails.</summary>
internal enum TableState
{
    /// <summary>All calls enter.</summary>
    Open,

    /// <summary>Calls wait: what they depend on is changed.</summary>
    Paused,

    /// <summary>Calls throw: the cache was disposed.</summary>
    Closed,

    /// <summary>Calls throw: the table was dropped.</summary>
    Dropped,
}
