using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Puts right what a kill or a power cut left in a directory, while nobody uses the pile.</summary>
/// <remarks>
/// In order: map the segments; after a power cut put back what is in the flush log, after a kill what is in the redo records; read the
/// words of the pages; state in the superblock that the pile is in use. A kill in between changes nothing: all of it is done again.
/// The time does not depend on how much the pile holds: no page is looked at. One case is the exception: the power was cut a second time
/// before all pages were examined after the first.
/// </remarks>
internal sealed unsafe class FileRecovery
{
    private readonly PileDirectory _directory;
    private readonly LastShutdown _shutdown;
    private readonly SegmentMap _map;
    private readonly Allocator _allocator;
    private readonly ShadowHeaderTable _shadowHeaders;
    private readonly BlockInspector _inspector;
    private readonly BlockChecksumKind _checksums;
    private long _restoredCount;

    /// <summary>Prepares; nothing is mapped yet.</summary>
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

    /// <summary>Examines the pages that are found.</summary>
    internal PageRecovery PageRecovery { get; }

    /// <summary>The mark of what is freed until the first flush.</summary>
    internal long FreeEpoch => _inspector.FreeEpoch;

    /// <summary>Puts everything right.</summary>
    internal OpeningReport Run(RedoFile redo, FlushLog log, Versions versions, LazyRecovery lazyRecovery, ILogger logger)
    {
        Debug.Assert(_allocator.Pool.Segments().Length == 0, "Nobody has taken memory before the listed segments have their places.");
        SegmentMapping.MapAll(_directory, _map, _allocator.Pool);
        if (_shutdown.WasPowerCut)
            Replay(log, versions);
        else if (!_shutdown.WasClean)
            ApplyRedo(redo);
        CrashPoints.Pass(CrashPoint.RecoveryBeforeRedoIdle);
        redo.Clear();
        if (_shutdown.Kind == ShutdownKind.Killed)
            _shadowHeaders.Recover(IsShadowed);
        else
            _shadowHeaders.Clear();
        foreach (Segment segment in _allocator.Pool.Segments())
            Scan(segment);
        long totalBytes = lazyRecovery.UnrecoveredBytes;
        if (_shutdown.WasCutTwice)
            lazyRecovery.RecoverAll(); // what was freed between the two cuts has the mark of what is freed from now on
        CrashPoints.Pass(CrashPoint.RecoveryBeforeOpened);
        _directory.Superblock.MarkOpened(isRecovered: _shutdown.WasCutTwice, _inspector.FlushedVersion);
        _directory.MarkInUse(); // not before: whoever follows a kill in between has to know as well that the indexes mean nothing
        if (!_shutdown.WasClean && _directory.Superblock.ListedSegments.Count != 0)
            LogRecovery(logger);
        return new OpeningReport(_shutdown.WasClean, _shutdown.WasPowerCut, _restoredCount, totalBytes);
    }

    private void LogRecovery(ILogger logger) => logger.LogWarning(
        "The pile in {Path} was not closed by its last owner ({Reason}); {Restored} blocks were put back, and all are checked one by one",
        _directory.Path,
        _shutdown.IsCopy ? InUseMark.Fault : _shutdown.WasPowerCut ? "the machine was started anew, or does not tell" : "the process ended",
        _restoredCount);

    private void Scan(Segment segment)
    {
        uint skip = _shutdown.WasPowerCut ? _shutdown.GenerationSkip : 0; // an owner that was killed since has stated it already
        var scanner = new SegmentScanner(
            segment, _directory.Segments.PathOf(segment.Number), _shutdown.WasClean, skip, _directory.Faults);
        scanner.Scan();
        _allocator.Pool.AddScanned(segment, scanner.UnrecoveredPages, scanner.LostPages);
    }

    private void Replay(FlushLog log, Versions versions)
    {
        Debug.Assert(versions.Last == versions.Limit, "No version is given out before all that were are known.");
        var replay = new LogReplay(_map, _allocator.Pool, _checksums);
        FlushLog.Batch[] batches = [.. log.Read()];
        replay.Apply(Array.ConvertAll(batches, static batch => batch.Body));
        ulong versionLimit = batches.Select(static batch => batch.VersionLimit).DefaultIfEmpty().Max();
        versions.Restore(versionLimit);
        if (versionLimit > _directory.Superblock.VersionLimit)
            _directory.Superblock.RaiseVersionLimit(versionLimit); // once for all batches: each time takes two write-throughs
        _inspector.FlushedVersion = Math.Max(_inspector.FlushedVersion, replay.FlushedVersion);
        _inspector.CutVersion = _directory.Superblock.CutVersion; // a batch may know of a higher limit
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
        byte* bytes = block + BlockHeader.SizeBytes + found.OffsetBytes;
        new ReadOnlySpan<byte>((void*)found.Bytes, found.LengthBytes).CopyTo(new Span<byte>(bytes, found.LengthBytes));
        if (hasChecksums)
            header = BlockChecksum.Rewrite(block, header, capacityBytes, found.OffsetBytes, found.LengthBytes);
        Volatile.Write(ref *(ulong*)block, header.Word);
        return true;
    }

    // After a kill. A block whose own header is not busy had it brought back before.
    private bool IsShadowed(ShadowHeaderTable.Entry entry)
    {
        if (!_inspector.TryFindRaw(entry.Address, out byte* block, out _))
            return false;
        var own = new BlockHeader(*(ulong*)block);
        return own.IsBusy && !own.IsFree && own.Generation == entry.Generation;
    }
}
