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
using BigPile.Memory.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Access;

/// <summary>What a reader knows of the writing process: its stripes, and its segment list.</summary>
/// <remarks>
/// All of it is valid as long as the change count in the stripe file is the same. The owner raises the count after it lists or unlists
/// segments in the superblock, and before it zeroes the magic of an unlisted one or deletes its file. So a reader that sees no change has
/// every segment in which an object of a pointer it was given can be, and a reader that fails to map a segment sees a change if that was
/// the reason. A directory without the stripe file has had no owner of this version: nothing changes until there is one. Thread safety: all
/// members may be called concurrently.
/// </remarks>
internal sealed class WriterFollower(
    PileDirectory directory, OperationBarrier barrier, SegmentMap map, PagePool pool, ILogger logger, TimeSpan backoff)
    : IDisposable
{
    private readonly PileDirectory _directory = directory; // open for reading only
    private readonly OperationBarrier _barrier = barrier; // this process's own
    private readonly SegmentMap _map = map; // stays empty: see BlockReader
    private readonly PagePool _pool = pool; // the mapped segments; they come and go under _mapping
    private readonly ILogger _logger = logger; // receives failures of the release
    private readonly Lock _mapping = new(); // serialises refreshing; not taken by reads of a current snapshot
    private StripeFile? _stripeFile; // set once, under _mapping
    private WriterSnapshot? _snapshot; // the latest one; replaced under _mapping, read without it
    private bool _hasSegments; // whether the segments were mapped at least once; under _mapping
    private UndoRule _undoRule; // of the superblock read last; written under _mapping
    private ShadowHeaderTable? _shadowHeaders; // null until the writer has made it; set under _mapping
    private HeldFile? _lockFile; // opened at the first doubt whether the writer lives; under _mapping
    private FileStatus? _stripeIdentity; // which file _stripeFile maps; under _mapping
    private bool _isRemoved; // the pile was removed or replaced; under _mapping
    private int _isReleasing; // 1 while a release of dropped segments is queued; interlocked

    internal string DirectoryPath => _directory.Path;

    /// <summary>How long a reader waits for a writer that makes no progress.</summary>
    internal TimeSpan MaxBackoff { get; } = backoff;

    /// <summary>The change that a reader last waited for in vain: later readers that meet the same one fail at once.</summary>
    internal BusyMark? LastBusy { get; set; }

    /// <summary>
    /// Whether the writer may be alive. Unknown, and so true, if the pile is not shared, or its lock file can't be opened.
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

    /// <summary>Which deletions count as undone, by the superblock.</summary>
    internal UndoRule UndoRule => _undoRule;

    /// <summary>The snapshot if it is still current; null if it must be refreshed.</summary>
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

    /// <summary>Maps the writer's current segments, and waits while it recovers the pile.</summary>
    internal void MapNewSegments()
    {
        var backoff = new WriterBackoff(this);
        _ = CurrentSnapshot(ref backoff);
    }

    /// <summary>The writer's stripes; null if there is no writer, and never was.</summary>
    internal SeqLockStripes? WritersStripes()
    {
        MapNewSegments();
        return _snapshot?.Stripes;
    }

    /// <summary>Takes a new snapshot if the current one is out of date. Null if there is no writer, and never was.</summary>
    internal WriterSnapshot? RefreshSnapshot()
    {
        lock (_mapping)
        {
            while (true)
            {
                StripeFile? file = StripesLocked();
                ulong changes = file?.Changes ?? 0; // before the superblock: a later change makes the snapshot out of date
                if (_isRemoved || changes == StripeFile.Removed)
                    throw Removed();
                if (file == null ? _hasSegments : _snapshot?.Changes == changes)
                    return _snapshot;
                try
                {
                    if ((changes & 1) == 0) // odd: an owner recovers the pile; only the count is remembered
                        TakeOverSegments(_directory.Superblock.ReadListedSegments(out _undoRule));
                    _hasSegments = true;
                    Volatile.Write(
                        ref _snapshot, file == null ? null : new WriterSnapshot(file, changes, _map.SegmentBytes, _pool.Segments()));
                    return _snapshot;
                }
                catch (Exception e) when (e is PileStorageException or IOException or UnauthorizedAccessException)
                {
                    bool isOutOfDate = file == null ? StripeFile.Exists(_directory.Files) : file.Changes != changes;
                    if (isOutOfDate) // the change explains the failure: a file that is gone
                        continue;
                    if (e is PileStorageException)
                        throw;
                    throw new PileStorageException($"The segments of the pile in '{DirectoryPath}' can't be mapped: {e.Message}", e);
                }
            }
        }
    }

    /// <summary>Refreshes the snapshot in the background, and drops the segments of a pile that was removed.</summary>
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
            // the next read reports it
        }
        finally
        {
            critical.Exit();
        }
    }

    internal ShadowHeaderTable? ShadowHeaders()
    {
        if (UndoRule.Shutdown == ShutdownKind.PowerCut || _directory.IsShared)
            return null; // they mean nothing, or there are none
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
        $"The pile in '{DirectoryPath}' was removed or replaced while it was being read. Open it again once there is a new one.");

    private void ReleaseSoon()
    {
        if (_pool.DroppedCount != 0 && Interlocked.Exchange(ref _isReleasing, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(static shared => shared.ReleaseDropped(), this, preferLocal: false);
    }

    // Not on the reading thread: it is in a critical region, and so may be others that use the old segment.
    private void ReleaseDropped()
    {
        try
        {
            Debug.Assert(!PileRegions.Current.IsOpen, "The waiting thread is in no critical region itself.");
            lock (_barrier.Closing)
            {
                Volatile.Write(ref _isReleasing, 0); // before the list is taken: what is dropped later queues anew
                if (_barrier.IsClosed)
                    return;
                Segment[] dropped = _pool.TakeDropped();
                PileRegions.WaitForQuiescence(); // reads that began before they were dropped have ended
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
