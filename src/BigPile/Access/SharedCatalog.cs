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
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Access;

/// <summary>What a reader knows of the process that writes: its stripes, and which segments it has.</summary>
/// <remarks>
/// All of it counts as long as the number of changes in the file of stripes is the same. The owner raises it behind the superblock that
/// lists other segments, and before it marks or removes the file of one that is gone. So a reader that sees no change has every segment in
/// which an object can be whose pointer it was given, and one that fails to map a segment sees a change if that was the reason.
/// A directory without that file has had no owner of this version: nobody changes anything as long as there is none.
/// </remarks>
internal sealed class SharedCatalog : IDisposable
{
    private readonly PileDirectory _directory;
    private readonly OperationBarrier _barrier;
    private readonly SegmentMap _map;
    private readonly PagePool _pool;
    private readonly ILogger _logger;
    private readonly Lock _mapping = new();
    private StripeFile? _stripeFile;
    private WriterSnapshot? _snapshot;
    private bool _hasSegments;
    private UndoRule _undoRule;
    private ShadowHeaderTable? _shadowHeaders;
    private HeldFile? _lockFile;
    private FileStatus? _stripeIdentity;
    private bool _isRemoved;
    private int _isReleasing;

    /// <summary>Watches the writer of a directory.</summary>
    internal SharedCatalog(PileDirectory directory, OperationBarrier barrier, SegmentMap map, PagePool pool, ILogger logger, TimeSpan backoff)
    {
        _directory = directory;
        _barrier = barrier;
        _map = map;
        _pool = pool;
        _logger = logger;
        MaxBackoff = backoff;
    }

    /// <summary>The pile's directory.</summary>
    internal string DirectoryPath => _directory.Path;

    /// <summary>How long a reader waits for a writer that does not go on.</summary>
    internal TimeSpan MaxBackoff { get; }

    /// <summary>What a reader waited for in vain: whoever comes later need not wait as long again.</summary>
    internal BusyMark? LastBusy { get; set; }

    /// <summary>
    /// Whether the writer may live. One of a pile that is no shared one does not say; nor does one whose lock can't be looked at.
    /// </summary>
    internal bool MayWriterLive
    {
        get
        {
            if (!_directory.IsShared)
                return true;
            lock (_mapping)
                return (_lockFile ??= _directory.Files.TryOpen(DirectoryLock.LockName, FileAccess.Read)) is not { } file
                    || DirectoryLock.IsOwnerAlive(file);
        }
    }

    /// <summary>Which deletions are undone, by the superblock.</summary>
    internal UndoRule UndoRule => _undoRule;

    /// <summary>What is known of the writer, where that still counts; none where it has to be asked for.</summary>
    internal WriterSnapshot? KnownSnapshot
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _snapshot) is { IsRecovering: false, IsCurrent: true } snapshot ? snapshot : null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal WriterSnapshot? CurrentSnapshot(ref WriterBackoff backoff) => KnownSnapshot ?? WaitForSnapshot(ref backoff);

    internal bool IsCurrent(WriterSnapshot? snapshot) => snapshot?.IsCurrent ?? !StripeFile.Exists(_directory.Files);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WriterSnapshot? WaitForSnapshot(ref WriterBackoff backoff)
    {
        while (true)
        {
            WriterSnapshot? snapshot = RefreshSnapshot();
            if (snapshot is not { IsRecovering: true })
                return snapshot;
            backoff.WaitForRecovery(snapshot.Changes);
        }
    }

    /// <summary>Maps what the writer has by now, and waits while it recovers the pile.</summary>
    internal void MapNewSegments()
    {
        var backoff = new WriterBackoff(this);
        _ = CurrentSnapshot(ref backoff);
    }

    /// <summary>The sequences of whoever writes this pile; none when there is no writer, and was none.</summary>
    internal SeqLockStripes? WritersStripes()
    {
        MapNewSegments();
        return _snapshot?.Stripes;
    }

    /// <summary>Takes over the segments as they are now. Null when there is no writer, and was none.</summary>
    internal WriterSnapshot? RefreshSnapshot()
    {
        lock (_mapping)
        {
            while (true)
            {
                StripeFile? file = StripesLocked();
                ulong changes = file?.Changes ?? 0;
                if (_isRemoved || changes == StripeFile.Removed)
                    throw Removed();
                if (file == null ? _hasSegments : _snapshot?.Changes == changes)
                    return _snapshot;
                try
                {
                    if ((changes & 1) == 0)
                        TakeOverSegments(_directory.Superblock.ReadListedSegments(out _undoRule));
                    _hasSegments = true;
                    Volatile.Write(ref _snapshot, file == null ? null : new WriterSnapshot(file, changes, _map.SegmentBytes, _pool.Segments()));
                    return _snapshot;
                }
                catch (Exception e) when (e is PileStorageException or IOException or UnauthorizedAccessException)
                {
                    bool isOutOfDate = file == null ? StripeFile.Exists(_directory.Files) : file.Changes != changes;
                    if (isOutOfDate)
                        continue;
                    if (e is PileStorageException)
                        throw;
                    throw new PileStorageException($"The segments of the pile in '{DirectoryPath}' can't be mapped: {e.Message}", e);
                }
            }
        }
    }

    /// <summary>Takes over what the writer has by now, without a reader that waits for it; and lets go of a pile that is gone.</summary>
    internal void Poll()
    {
        if (!_barrier.TryEnterReader(out CriticalRegion critical))
            return;
        try
        {
            if (IsPileRemoved())
                DropSegments();
            else
                _ = RefreshSnapshot();
        }
        catch (PileStorageException)
        {
            // who reads next is told
        }
        finally
        {
            critical.Exit();
        }
    }

    internal ShadowHeaderTable? ShadowHeaders()
    {
        if (UndoRule.Shutdown == ShutdownKind.PowerCut || _directory.IsShared)
            return null; // nothing is known of them, or there are none
        if (_shadowHeaders is { } known)
            return known;
        lock (_mapping)
            return _shadowHeaders ??= ShadowHeaderTable.OpenForReading(_directory.Files);
    }

    private void TakeOverSegments(IReadOnlyDictionary<int, long> listed)
    {
        Debug.Assert(_mapping.IsHeldByCurrentThread, "Of two readers that see a change, one maps what is new.");
        var kept = new HashSet<int>();
        foreach (Segment segment in _pool.Segments())
        {
            bool isListed = listed.TryGetValue(segment.Number, out long lengthBytes);
            bool isSame = isListed && lengthBytes == segment.Region.LengthBytes && !segment.IsGivenBack;
            if (isSame)
                kept.Add(segment.Number);
            else
                _pool.Drop(segment);
        }
        foreach ((int number, long lengthBytes) in listed)
        {
            if (!kept.Contains(number))
                SegmentMapping.Map(_directory, _map, _pool, number, lengthBytes);
        }
        ReleaseSoon();
    }

    private StripeFile? StripesLocked()
    {
        Debug.Assert(_mapping.IsHeldByCurrentThread, "Of two readers that find the file, one maps it.");
        if (_stripeFile == null)
        {
            _stripeIdentity = FileStatus.Of(_directory.PathOf(StripeFile.Name));
            _stripeFile = StripeFile.OpenForReading(_directory.Files, _directory.Superblock.PileId);
        }
        return _stripeFile;
    }

    private bool IsPileRemoved()
    {
        lock (_mapping)
        {
            bool isElsewhere = _stripeIdentity is { } identity
                && FileStatus.Of(_directory.PathOf(StripeFile.Name))?.IsSameFile(identity) != true;
            return isElsewhere || _stripeFile?.Changes == StripeFile.Removed;
        }
    }

    private void DropSegments()
    {
        lock (_mapping)
        {
            _isRemoved = true;
            Volatile.Write(ref _snapshot, null);
            foreach (Segment segment in _pool.Segments())
                _pool.Drop(segment);
            ReleaseSoon();
        }
    }

    private PileStorageException Removed() => new(
        $"The pile in '{DirectoryPath}' was removed or replaced while it was being read. Open it anew once there is another one.");

    private void ReleaseSoon()
    {
        if (_pool.DroppedCount != 0 && Interlocked.Exchange(ref _isReleasing, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(static shared => shared.ReleaseDropped(), this, preferLocal: false);
    }

    // Not by the reader that found out: it is inside, and so may be others that look at the old segment.
    private void ReleaseDropped()
    {
        try
        {
            Debug.Assert(!CriticalRegion.Current.IsInRegion, "Whoever waits until all have left is not one of them.");
            lock (_barrier.Closing)
            {
                Volatile.Write(ref _isReleasing, 0);
                if (_barrier.IsClosed)
                    return;
                Segment[] dropped = _pool.TakeDropped();
                CriticalRegion.WaitForQuiescence();
                foreach (Segment segment in dropped)
                    segment.Dispose();
            }
        }
        catch (Exception e)
        {
            _logger.LogWarning(e, "Segments of the pile in {Path} that its writer gave back could not be released", DirectoryPath);
        }
    }

    /// <summary>Unmaps the files.</summary>
    public void Dispose()
    {
        _lockFile?.Dispose();
        _shadowHeaders?.Dispose();
        _stripeFile?.Dispose();
    }
}
