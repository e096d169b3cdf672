using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>What a reader knows of the process that writes: its stripes, and which segments it has.</summary>
/// <remarks>
/// All of it counts as long as the number of changes in the file of stripes is the same. The owner raises it behind the superblock that
/// lists other segments, and before it marks or removes the file of one that is gone. So a reader that sees no change has every segment in
/// which an object can be whose pointer it was given, and one that fails to map a segment sees a change if that was the reason.
/// A directory without that file has had no owner of this version: nobody changes anything as long as there is none.
/// </remarks>
public sealed unsafe partial class Pile
{
    private readonly TimeSpan _writerPatience;
    private readonly Lock _mapping = new();
    private StripeFile? _stripeFile;
    private WriterView? _view;
    private BusyMark? _lastBusy;
    private bool _hasSegments;
    private UndoRule _undoRule;
    private MovedTable? _sharedMoves;
    private int _isReleasing;

    private StripeFile? OpenStripeFile(PileDirectory? directory)
    {
        if (directory is not { IsReadOnly: false })
            return null;
        StripeFile file = StripeFile.OpenForWriting(directory.Files, directory.PileId);
        directory.Segments.ListChanged = file.NoteSegments;
        return file;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private WriterView? CurrentView(ref WriterPatience patience)
    {
        WriterView? view = Volatile.Read(ref _view);
        return view is { IsRecovering: false, IsCurrent: true } ? view : WaitForView(ref patience);
    }

    private bool IsCurrent(WriterView? view) => view?.IsCurrent ?? !StripeFile.Exists(_directory!.Files);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WriterView? WaitForView(ref WriterPatience patience)
    {
        while (true)
        {
            WriterView? view = RenewView();
            if (view is not { IsRecovering: true })
                return view;
            patience.WaitForRecovery(view.Changes);
        }
    }

    /// <summary>Maps what the writer has by now, and waits while it recovers the pile.</summary>
    private void MapNewSegments()
    {
        var patience = new WriterPatience(this);
        _ = CurrentView(ref patience);
    }

    /// <summary>The sequences of whoever writes this pile, in this process or another.</summary>
    private Stripes WritersStripes()
    {
        if (IsReadOnly)
            MapNewSegments();
        return _view?.Stripes ?? _stripes;
    }

    /// <summary>Takes over the segments as they are now. Null when there is no writer, and was none.</summary>
    private WriterView? RenewView()
    {
        lock (_mapping)
        {
            while (true)
            {
                StripeFile? file = _stripeFile ??= StripeFile.OpenForReading(_directory!.Files, _directory.PileId);
                ulong changes = file?.Changes ?? 0;
                if (file == null ? _hasSegments : _view?.Changes == changes)
                    return _view;
                try
                {
                    if ((changes & 1) == 0)
                        TakeOverSegments(_directory!.ReadListedSegments(out _undoRule));
                    _hasSegments = true;
                    Volatile.Write(ref _view, file == null ? null : new WriterView(file, file.Stripes, changes));
                    return _view;
                }
                catch (Exception e) when (e is PileStorageException or IOException or UnauthorizedAccessException)
                {
                    bool isOutOfDate = file == null ? StripeFile.Exists(_directory!.Files) : file.Changes != changes;
                    if (isOutOfDate)
                        continue;
                    if (e is PileStorageException)
                        throw;
                    throw new PileStorageException($"The segments of the pile in '{DirectoryPath}' can't be mapped: {e.Message}", e);
                }
            }
        }
    }

    private MovedTable? SharedMoves()
    {
        if (_undoRule.LeftAs == LeftAs.Cut)
            return null; // nothing is known of them
        if (_sharedMoves is { } known)
            return known;
        lock (_mapping)
            return _sharedMoves ??= MovedTable.OpenForReading(_directory!.Files);
    }

    private void TakeOverSegments(IReadOnlyDictionary<int, long> listed)
    {
        PagePool pool = _allocator.Pool;
        var kept = new HashSet<int>();
        foreach (Segment segment in pool.Segments())
        {
            bool isListed = listed.TryGetValue(segment.Number, out long lengthBytes);
            bool isSame = isListed && lengthBytes == segment.Region.LengthBytes && !segment.IsGivenBack;
            if (isSame)
                kept.Add(segment.Number);
            else
                pool.Drop(segment);
        }
        foreach ((int number, long lengthBytes) in listed)
        {
            if (!kept.Contains(number))
                MapSegment(_directory!, number, lengthBytes);
        }
        if (pool.DroppedCount != 0 && Interlocked.Exchange(ref _isReleasing, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(static pile => pile.ReleaseDropped(), this, preferLocal: false);
    }

    // Not by the reader that found out: it is inside, and so may be others that look at the old segment.
    private void ReleaseDropped()
    {
        try
        {
            lock (_closing)
            {
                Volatile.Write(ref _isReleasing, 0);
                if (IsClosed)
                    return;
                Segment[] dropped = _allocator.Pool.TakeDropped();
                ThreadPresence.WaitForOthers();
                foreach (Segment segment in dropped)
                    segment.Dispose();
            }
        }
        catch (Exception e)
        {
            Logger.LogWarning(e, "Segments of the pile in {Path} that its writer gave back could not be released", DirectoryPath);
        }
    }

    /// <summary>The stripes, and the number of changes at which they and the segments were taken over.</summary>
    private sealed class WriterView(StripeFile file, Stripes stripes, ulong changes)
    {
        internal Stripes Stripes => stripes;

        internal ulong Changes => changes;

        internal bool IsCurrent => file.Changes == changes;

        /// <summary>Whether an owner is putting blocks back just now; or it was killed at that.</summary>
        internal bool IsRecovering => (changes & 1) != 0;
    }

    /// <summary>What a reader waited for in vain: whoever comes later need not wait as long again.</summary>
    private sealed record BusyMark(ulong Address, ulong Number);

    /// <summary>Waits for the writer, and not for ever.</summary>
    private struct WriterPatience(Pile pile)
    {
        private const int PausesWithoutSleep = 200;
        private const ulong AllAddresses = ulong.MaxValue;

        private SpinWait _spinner;
        private BusyMark? _awaited;
        private long _since;

        internal void Pause() => _spinner.SpinOnce(sleep1Threshold: -1);

        internal void WaitForReplacement(PilePointer pointer, ulong sequence)
        {
            if (IsOver(new BusyMark(pointer.Address, sequence)))
                Throw.HeldByWriter(pile.DirectoryPath, pointer);
        }

        internal void WaitForRecovery(ulong changes)
        {
            if (IsOver(new BusyMark(AllAddresses, changes)))
                Throw.HeldByRecovery(pile.DirectoryPath);
        }

        private bool IsOver(BusyMark mark)
        {
            if (mark == pile._lastBusy)
                return true;
            if (_awaited != mark)
            {
                _awaited = mark;
                _since = Stopwatch.GetTimestamp();
            }
            else if (Stopwatch.GetElapsedTime(_since) > pile._writerPatience)
            {
                pile._lastBusy = mark;
                return true;
            }
            _spinner.SpinOnce(PausesWithoutSleep);
            return false;
        }
    }
}
