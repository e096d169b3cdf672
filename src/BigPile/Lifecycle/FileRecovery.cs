using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory.Checking;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Repairs what a kill or a power cut left in a directory, before the pile is used.</summary>
/// <remarks>
/// A kill on the way changes nothing: all of it is repeated. The time does not depend on how much the pile holds, since no page is read,
/// except after a second power cut before all pages were recovered after the first. Thread safety: one thread; nobody uses the pile yet.
/// </remarks>
internal sealed unsafe class FileRecovery
{
    private readonly PileDirectory _directory; // superblock and segments
    private readonly LastShutdown _shutdown; // kill, power cut, or neither
    private readonly SegmentMap _map; // gets the segments
    private readonly Allocator _allocator; // gets free pages, and those to be recovered
    private readonly ShadowHeaderTable _shadowHeaders; // kept after a kill, else emptied
    private readonly BlockInspector _inspector; // decides what a block is
    private readonly BlockChecksumKind _checksums; // as the superblock states, whatever the options say
    private long _restoredCount; // blocks written from the log or from redo records

    /// <summary>Prepares the recovery; nothing is mapped yet.</summary>
    internal FileRecovery(PileDirectory directory, SegmentMap map, Allocator allocator, ShadowHeaderTable shadowHeaders, bool checksBlocks)
    {
        _directory = directory;
        _shutdown = directory.LastShutdown;
        _map = map;
        _allocator = allocator;
        _shadowHeaders = shadowHeaders;
        _checksums = directory.Superblock.ChecksumKind;
        _inspector = new BlockInspector(allocator.Pool, checksBlocks ? _checksums : BlockChecksumKind.None)
        {
            Shutdown = _shutdown.Kind,
            ShadowHeaders = shadowHeaders,
            Epoch = directory.Superblock.LogEpoch,
            HasTracesOfCut = _shutdown.HasTracesOfCut,
            GenerationSkip = _shutdown.GenerationSkip,
            FlushedVersion = directory.Superblock.FlushedVersion,
            CutVersion = directory.Superblock.CutVersion,
        };
        if (_shutdown.HasTracesOfCut)
            allocator.Pool.GenerationAbove = new LostLayouts(allocator.Pool, _inspector, _checksums).GenerationAbove;
        PageRecovery = new PageRecovery(map, allocator, _inspector, directory.Faults);
    }

    /// <summary>Recovers the pages that are found, later.</summary>
    internal PageRecovery PageRecovery { get; }

    /// <summary>The epoch that marks blocks freed before the first flush.</summary>
    internal long FreeMarkEpoch => _inspector.FreeMarkEpoch;

    internal OpeningReport Run(RedoFile redo, FlushLog log, Versions versions, LazyRecovery lazyRecovery, ILogger logger)
    {
        Debug.Assert(_allocator.Pool.Segments().Length == 0, "Listed segments are mapped before any memory is taken.");
        SegmentMapping.MapAll(_directory, _map, _allocator.Pool);
        if (_shutdown.WasPowerCut)
            Replay(log, versions); // the log has what the device may lack
        else if (!_shutdown.WasClean)
            ApplyRedo(redo); // the files have each store: only a running change is half done
        CrashPoints.Pass(CrashPoint.RecoveryBeforeRedoIdle);
        redo.Clear(); // what they stood for is in the blocks, or was not flushed
        if (_shutdown.Kind == ShutdownKind.Killed)
            _shadowHeaders.Recover(IsShadowed);
        else
            _shadowHeaders.Clear(); // after a power cut the blocks themselves are as flushed
        foreach (Segment segment in _allocator.Pool.Segments())
            Scan(segment); // behind the replay, which may lay pages out anew
        long totalBytes = lazyRecovery.UnrecoveredBytes;
        if (_shutdown.WasCutTwice)
            lazyRecovery.RecoverAll(); // frees between the two power cuts have the epoch that frees get from now on
        CrashPoints.Pass(CrashPoint.RecoveryBeforeOpened);
        // The commit: boot id and "in use". A kill before leaves the state that was found, and all above is done again.
        _directory.Superblock.MarkOpened(isRecovered: _shutdown.WasCutTwice, _inspector.FlushedVersion);
        _directory.MarkInUse(); // only now: after a kill in between, the next owner must also see that the table indexes can't be trusted
        if (_directory.Faults.Count == 0) // else the list may be an older one
            _directory.Segments.RemoveUnlisted(logger);
        if (!_shutdown.WasClean && _directory.Superblock.ListedSegments.Count != 0)
            LogRecovery(logger);
        return new OpeningReport(_shutdown.WasClean, _shutdown.WasPowerCut, _restoredCount, totalBytes);
    }

    private void LogRecovery(ILogger logger) => logger.LogWarning(
        "The pile in {Path} was not closed by its last owner ({Reason}); {Restored} blocks were put back, and all are checked one by one",
        _directory.Path,
        _shutdown.IsCopy ? InUseMark.Fault : _shutdown.WasPowerCut ? "the machine was rebooted, or does not tell" : "the process ended",
        _restoredCount);

    private void Scan(Segment segment)
    {
        uint skip = _shutdown.WasPowerCut ? _shutdown.GenerationSkip : 0; // later owners that were killed have stored it already
        var scanner = new SegmentScanner(
            segment, _directory.Segments.PathOf(segment.Number), _shutdown.WasClean, skip, _directory.Faults);
        scanner.Scan();
        segment.Allocate(scanner.UsedEnd);
        _allocator.Pool.AddScanned(segment, scanner.UnrecoveredPages, scanner.LostPages);
    }

    private void Replay(FlushLog log, Versions versions)
    {
        Debug.Assert(versions.Last == versions.Limit, "No version is handed out before the used ones are known.");
        var replay = new LogReplay(_map, _allocator.Pool, _checksums);
        FlushLog.Batch[] batches = [.. log.Read()];
        replay.Apply(Array.ConvertAll(batches, static batch => batch.Body));
        ulong versionLimit = batches.Select(static batch => batch.VersionLimit).DefaultIfEmpty().Max();
        versions.Restore(versionLimit);
        if (versionLimit > _directory.Superblock.VersionLimit)
            _directory.Superblock.RaiseVersionLimit(versionLimit); // once for all batches: each write takes two syncs
        _inspector.FlushedVersion = Math.Max(_inspector.FlushedVersion, replay.FlushedVersion);
        _inspector.CutVersion = _directory.Superblock.CutVersion; // a batch may have a higher limit
        _restoredCount = replay.AppliedCount;
    }

    private void ApplyRedo(RedoFile redo)
    {
        for (int i = 0; i < redo.Count; i++)
        {
            if (redo.Read(i) is { } found && TryApply(found))
                _restoredCount++;
        }
    }

    private bool TryApply(RedoFile.Found found)
    {
        var header = new BlockHeader(found.HeaderWord);
        if (!_inspector.TryFindRaw(found.Address, out byte* block, out long capacityBytes))
            return false;
        var present = new BlockHeader(*(ulong*)block);
        bool isSame = present.Generation == header.Generation && !present.IsFree && !header.IsFree;
        bool hasChecksums = _checksums != BlockChecksumKind.None;
        bool fits = hasChecksums ? BlockChecksum.Fits(header.PayloadBytes, capacityBytes) : header.PayloadBytes <= capacityBytes;
        if (!isSame || !fits || (long)found.OffsetBytes + found.LengthBytes > header.PayloadBytes)
            return false;
        // In any order: the record stays valid until all are applied, so after a kill it is applied again.
        byte* bytes = block + BlockHeader.SizeBytes + found.OffsetBytes;
        new ReadOnlySpan<byte>((void*)found.Bytes, found.LengthBytes).CopyTo(new Span<byte>(bytes, found.LengthBytes));
        if (hasChecksums)
            header = BlockChecksum.Rewrite(block, header, capacityBytes, found.OffsetBytes, found.LengthBytes);
        Volatile.Write(ref *(ulong*)block, header.Word); // not busy: the replacement is complete
        return true;
    }

    // After a kill. If a block's own header is not busy, its shadow header was installed before the kill.
    private bool IsShadowed(ShadowHeaderTable.Entry entry)
    {
        if (!_inspector.TryFindRaw(entry.Address, out byte* block, out _))
            return false;
        var own = new BlockHeader(*(ulong*)block);
        return own.IsBusy && !own.IsFree && own.Generation == entry.Generation;
    }
}

/// <summary>
/// What was found when a pile was opened; constant. The members of <see cref="PileRecovery"/> with the same names expose and explain it.
/// </summary>
internal readonly record struct OpeningReport(bool WasClean, bool WasPowerCut, long RestoredCount, long TotalBytes)
{
    /// <summary>For a pile in memory, or a new one.</summary>
    internal static OpeningReport OfNew => new(WasClean: true, WasPowerCut: false, RestoredCount: 0, TotalBytes: 0);
}
