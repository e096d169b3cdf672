using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Concurrency;
using BigPile.Reporting;
using BigPile.Lifecycle;

namespace BigPile;

/// <summary>Upkeep: flushing, giving memory back, compacting, verifying, counting, walking, closing.</summary>
public sealed partial class Pile
{
    /// <summary>What the pile holds and where its memory goes, at one instant.</summary>
    public PileStatistics Statistics => _counter.Count();

    /// <summary>
    /// Writes a mapped pile through to its device; returns when all that was done before is durable. Other stores: nothing.
    /// </summary>
    /// <remarks>
    /// Changes by other threads wait while the changed blocks are copied, some milliseconds for ten thousand; reads do not.
    /// </remarks>
    /// <param name="progress">
    /// If there is one, is told the bytes that are written: of the batch that goes to the log, or in a checkpoint of whole segments, one
    /// by one. All of them once the log is durable too; a checkpoint that writers outrun stays where it is until it has caught up. The
    /// flush goes on while it is told, on another thread, and no call waits for it.
    /// </param>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    public void Flush(IProgress<PileProgress>? progress = null)
    {
        CriticalRegion.ThrowIfInRegion();
        if (progress != null)
            ProgressRelay.Run(progress, _engine.Flush);
        else
            _engine.Flush(new ProgressGauge(null));
        GC.KeepAlive(this); // a pile that nobody refers to any more must not be collected under its own last call
    }

    /// <summary>As <see cref="Flush"/>, without holding the calling thread.</summary>
    /// <param name="cancellationToken">Cancels a flush that has not begun.</param>
    public Task FlushAsync(CancellationToken cancellationToken = default) => Task.Run(() => Flush(), cancellationToken);

    /// <summary>Gives empty segments back to the system. The pile does so by itself when it has shrunk by more than a segment.</summary>
    /// <remarks>
    /// What is not given back: a segment in which one object lives, since pointers name places. Free pages of it serve objects of any size.
    /// A free slot in a page that still holds an object serves objects of its size, and in a fragmented pile of down to half of it.
    /// <see cref="Compact"/> moves what can be moved first.
    /// </remarks>
    /// <exception cref="PileStorageException">
    /// The device refused. What could not be given back is used again, or given back by the next trim.
    /// </exception>
    public void Trim()
    {
        CriticalRegion.ThrowIfInRegion();
        _blocks.Exit(_blocks.Barrier.EnterReader());
        if (IsReadOnly)
            return;
        if (_engine.PendingFreeBytes != 0)
            _ = _blocks.Reclaimer.TryFlush();
        if (_engine.Trimmer.Trim() is { } failure)
            Throw.NotTrimmed(DirectoryPath, failure);
    }

    /// <summary>Moves payloads that lie behind a link, and gives back to the system what becomes empty.</summary>
    /// <remarks>
    /// A pointer names a place, so an object that lies where its pointer says stays there. A payload behind a link goes back to its
    /// pointer's place if it fits there by now, and otherwise to the lowest page with room. Others may use the pile meanwhile.
    /// Not reclaimed: free slots in pages, and free pages in segments, that still hold an object; new objects use them.
    /// </remarks>
    /// <param name="progress">
    /// If there is one, is told the pages that the walk has behind it, in use or not, of those of all segments at its beginning; all of
    /// them once what became empty was given back. No lock is held and no other call waits meanwhile.
    /// </param>
    /// <param name="cancellationToken">Stops the walk; what was moved stays moved.</param>
    /// <returns>Bytes of segments that went back to the system.</returns>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    public long Compact(IProgress<PileProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        CriticalRegion.ThrowIfInRegion();
        var gauge = new ProgressGauge(progress);
        long before = Statistics.ReservedBytes;
        _compactor.Run(gauge, cancellationToken);
        Trim();
        gauge.Complete();
        return Math.Max(0, before - Statistics.ReservedBytes);
    }

    /// <summary>
    /// Looks at every block of this pile, also while others write. Nothing is changed but for pages that nobody had examined yet.
    /// </summary>
    /// <param name="progress">
    /// If there is one, is told the pages that the walk has behind it, in use or not, of those of all segments at its beginning. No lock
    /// is held and no other call waits meanwhile.
    /// </param>
    /// <param name="cancellationToken">Stops the walk.</param>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    public PileVerification Verify(IProgress<PileProgress>? progress = null, CancellationToken cancellationToken = default) =>
        new Verifier(_engine).Run(new ProgressGauge(progress), cancellationToken);

    /// <summary>Looks at everything in the directory of a pile that nobody has open. Nothing is changed.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="progress">If there is one, is told the pages that the walk has behind it.</param>
    /// <param name="cancellationToken">Stops the walk.</param>
    /// <exception cref="PileStorageException">The directory holds no pile, is in use, or is so damaged that it can't be opened.</exception>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    public static PileVerification VerifyDirectory(
        string directory, IProgress<PileProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        return Verifier.RunAt(directory, new ProgressGauge(progress), cancellationToken);
    }

    /// <summary>
    /// Closes the pile once the calls that run have ended. A mapped pile is written through and marked as cleanly closed.
    /// </summary>
    /// <remarks>
    /// While payloads are leased, their segments stay, and in a mapped pile nobody can open the directory: see <see cref="PileLease"/>.
    /// </remarks>
    /// <exception cref="PileStorageException">
    /// The device refused. The pile is closed as by a kill; what was flushed before is durable.
    /// </exception>
    public void Dispose()
    {
        CriticalRegion.ThrowIfInRegion(); // first of all: what is closed half-way keeps its lock for ever
        Recovery.Stop();
        _engine.Close();
    }

    /// <summary>Walks over all objects in the order of their addresses, also while others write.</summary>
    /// <remarks>
    /// An object that lives through the whole walk comes exactly once. One that is put or deleted meanwhile comes once or not at all,
    /// and may be gone when its entry is looked at. Thread safety: an enumerator belongs to one thread at a time.
    /// </remarks>
    public PileEnumerator GetEnumerator() => new(_walk);

    IEnumerator<PileEntry> IEnumerable<PileEntry>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
