using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Concurrency;
using BigPile.Lifecycle;
using BigPile.Reporting;

namespace BigPile;

/// <summary>Life cycle: flushing, trimming, compacting, verifying, counting, walking, closing.</summary>
public sealed partial class Pile
{
    /// <summary>What the pile holds and where its memory goes, at one instant.</summary>
    public PileStatistics Statistics => _counter.Count();

    /// <summary>Makes all earlier changes to a mapped pile durable, and returns once they are. Does nothing for other stores.</summary>
    /// <remarks>Writers wait while the changed blocks are copied, some milliseconds for ten thousand; readers do not.</remarks>
    /// <param name="progress">
    /// Receives the bytes written: of the batch that goes to the log, or in a checkpoint of whole segments, one by one. It reaches the
    /// total once the log is durable too; a checkpoint that writers outrun makes no progress until it has caught up. The flush goes on
    /// while the receiver runs, on another thread, and no call waits for it.
    /// </param>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    public void Flush(IProgress<PileProgress>? progress = null)
    {
        PileRegions.ThrowIfInRegion();
        if (progress != null)
            ProgressRelay.Run(progress, _engine.Flush);
        else
            _engine.Flush(new ProgressGauge(null));
        GC.KeepAlive(this); // the pile must not be collected during its own last call
    }

    /// <summary>Like <see cref="Flush"/>, without blocking the calling thread.</summary>
    /// <param name="cancellationToken">Cancels a flush that has not begun.</param>
    public Task FlushAsync(CancellationToken cancellationToken = default) => Task.Run(() => Flush(), cancellationToken);

    /// <summary>Returns empty segments to the system. The background does so when the pile has shrunk by some more.</summary>
    /// <remarks>
    /// A segment with one live object stays, as pointers are addresses. Its free pages serve objects of any size. A free slot in a page
    /// with another object serves objects of its size, and in a fragmented pile down to half of it. <see cref="Compact"/> moves what can be
    /// moved first.
    /// </remarks>
    /// <exception cref="PileStorageException">
    /// The device refused. Segments that could not be returned are used again, or returned by the next trim.
    /// </exception>
    public void Trim()
    {
        PileRegions.ThrowIfInRegion();
        _blocks.EnterReader().Dispose();
        if (IsReadOnly)
            return;
        if (_engine.PendingFreeBytes != 0)
            _ = _blocks.Reclaimer.TryFlush();
        if (_engine.Trimmer.Trim() is { } failure)
            Throw.NotTrimmed(DirectoryPath, failure);
    }

    /// <summary>Moves payloads that lie behind a link, and returns segments that become empty to the system.</summary>
    /// <remarks>
    /// A pointer is an address, so an object at its pointer's address stays there. A payload behind a link goes back to its pointer's slot
    /// if it fits there by now, and otherwise to the lowest page with space. Other threads may use the pile meanwhile.
    /// Not reclaimed: free slots in pages, and free pages in segments, that still hold an object; new objects use them.
    /// </remarks>
    /// <param name="progress">
    /// Receives the pages that the walk has passed, in use or not, of all segments at its beginning; the total once empty segments were
    /// returned. No lock is held, and no other call waits for the receiver.
    /// </param>
    /// <param name="cancellationToken">Stops the walk; payloads that were moved stay moved.</param>
    /// <returns>The bytes of segments that were returned to the system.</returns>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    public long Compact(IProgress<PileProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        PileRegions.ThrowIfInRegion();
        var gauge = new ProgressGauge(progress);
        long before = Statistics.ReservedBytes;
        _compactor.Run(gauge, cancellationToken);
        Trim();
        gauge.Complete();
        return Math.Max(0, before - Statistics.ReservedBytes);
    }

    /// <summary>
    /// Verifies every block of this pile, concurrently with writers. Changes nothing, except that it recovers pages that were not
    /// recovered.
    /// </summary>
    /// <param name="progress">
    /// Receives the pages that the walk has passed, in use or not, of all segments at its beginning. No lock is held, and no other call
    /// waits for the receiver.
    /// </param>
    /// <param name="cancellationToken">Stops the walk.</param>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    public PileVerification Verify(IProgress<PileProgress>? progress = null, CancellationToken cancellationToken = default) =>
        new Verifier(_engine).Run(new ProgressGauge(progress), cancellationToken);

    /// <summary>Verifies the whole directory of a pile that no process has open. Changes nothing.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="progress">Receives the pages that the walk has passed.</param>
    /// <param name="cancellationToken">Stops the walk.</param>
    /// <exception cref="PileStorageException">The directory holds no pile, is in use, or is so damaged that it can't be opened.</exception>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    public static PileVerification VerifyDirectory(
        string directory, IProgress<PileProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        return Verifier.RunAt(directory, new ProgressGauge(progress), cancellationToken);
    }

    /// <summary>Closes the pile once running calls have ended. A mapped pile is written through and marked as closed.</summary>
    /// <remarks>
    /// While payloads are leased, their segments stay, and the directory of a mapped pile can't be opened: see <see cref="PileLease"/>.
    /// </remarks>
    /// <exception cref="PileStorageException">
    /// The device refused. The pile is closed as if killed; what was flushed before is durable.
    /// </exception>
    public void Dispose()
    {
        PileRegions.ThrowIfInRegion(); // before any change: a pile that is half closed keeps its lock for ever
        Recovery.Stop();
        _engine.Close();
    }

    /// <summary>Enumerates all objects in address order, concurrently with writers.</summary>
    /// <remarks>
    /// An object that lives through the whole walk is returned exactly once. One that is put or deleted meanwhile is returned once or not
    /// at all, and may be deleted by the time its entry is used. Thread safety: one thread at a time per enumerator.
    /// </remarks>
    public PileEnumerator GetEnumerator() => new(_walk);

    IEnumerator<PileEntry> IEnumerable<PileEntry>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
