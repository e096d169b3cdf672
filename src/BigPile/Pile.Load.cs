using System;
using System.Linq;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>Opening the pile that a directory holds.</summary>
/// <remarks>
/// In order: map the segments; after a power cut put back what is in the flush log, after a kill what is in the redo records; read the
/// words of the pages; state in the superblock that the pile is in use. A kill in between changes nothing: all of it is done again.
/// The time does not depend on how much the pile holds: no page is looked at. One case is the exception: the power was cut a second time
/// before all pages were examined after the first.
/// </remarks>
public sealed unsafe partial class Pile
{
    private void Load(PileDirectory directory, RedoFile redo, FlushLog log)
    {
        MapSegments(directory);
        Recovery.WasClean = directory.WasClean;
        Recovery.WasPowerCut = directory.WasPowerCut;
        _freeEpoch = _inspector!.FreeEpoch;
        _needsCheckpoint = !directory.WasClean; // the segments hold changes that no list knows
        if (directory.WasPowerCut)
            Replay(directory, log);
        else if (!directory.WasClean)
            ApplyRedo(redo);
        KillPoint.Pass(KillWindow.RecoveryBeforeRedoIdle);
        redo.Clear();
        if (directory.LeftAs == LeftAs.Killed)
            _moved!.Adopt(WaitsForMove);
        else
            _moved!.Clear();
        foreach (Segment segment in _allocator.Pool.Segments())
            Scan(segment, directory);
        Recovery.TotalBytes = UnexaminedBytes;
        if (directory.WasCutTwice)
            ExamineAll(); // what was freed between the two cuts has the mark of what is freed from now on
        KillPoint.Pass(KillWindow.RecoveryBeforeOpened);
        directory.MarkOpened(isExamined: directory.WasCutTwice, _inspector.FlushedVersion);
        if (!directory.WasClean && directory.ListedSegments.Count != 0)
        {
            Logger.LogWarning(
                "The pile in {Path} was not closed by its last owner ({Reason}); {Restored} blocks were put back, and all are checked "
                + "one by one",
                directory.Path, directory.WasPowerCut ? "the machine was started anew, or does not tell" : "the process ended",
                Recovery.RestoredCount);
        }
    }

    // Every page is read by what the writer states of it at that instant: nothing is examined, and nothing written.
    private void LoadForReading(PileDirectory directory)
    {
        if (!directory.HasChecksums)
        {
            throw new PileStorageException(
                $"The pile in '{directory.Path}' has no checksums, and can't be read while it may be written. Open it without "
                + "PileOptions.ReadOnly.");
        }
        _ = RenewView();
        _gate = GateReadOnly;
    }

    private void MapSegments(PileDirectory directory)
    {
        foreach ((int number, long lengthBytes) in directory.ListedSegments)
            MapSegment(directory, number, lengthBytes);
    }

    private void MapSegment(PileDirectory directory, int number, long lengthBytes)
    {
        string path = directory.Segments.PathOf(number);
        if (!IsPossibleSegment(_map, _allocator.Pool, number, lengthBytes))
            throw new PileStorageException(
                $"The superblock in '{directory.Path}' lists an impossible segment {number} of {lengthBytes:N0} bytes.");
        MappedRegion region = directory.Segments.Open(number, lengthBytes);
        try
        {
            SegmentScanner.CheckHead(region, path, number, directory.PileId);
            var segment = new Segment(number, _map.AddressOf(number), region, knowsFrozen: !IsReadOnly);
            _allocator.Pool.Hold(segment, isShared: IsReadOnly);
        }
        catch
        {
            region.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Whether a segment that a superblock lists can be mapped: a length of whole pages, and numbers that exist and are nobody else's.
    /// </summary>
    private static bool IsPossibleSegment(SegmentMap map, PagePool pool, int number, long lengthBytes)
    {
        if (number < 0 || lengthBytes < SizeClasses.PageBytes || lengthBytes % SizeClasses.PageBytes != 0)
            return false;
        long spans = (lengthBytes - 1) / map.SegmentBytes + 1;
        if (spans > map.Capacity - number
            || lengthBytes / SizeClasses.PageBytes <= SegmentHead.PagesFor((int)(lengthBytes / SizeClasses.PageBytes)))
            return false;
        for (int i = 0; i < spans; i++)
        {
            if (pool.Find(map.AddressOf(number + i)) != null)
                return false;
        }
        return true;
    }

    private void Scan(Segment segment, PileDirectory directory)
    {
        uint skip = directory.WasPowerCut ? directory.GenerationSkip : 0; // an owner that was killed since has stated it already
        var scanner = new SegmentScanner(segment, directory.Segments.PathOf(segment.Number), directory.WasClean, skip, directory.Faults);
        scanner.Scan();
        _allocator.Pool.NoteScanned(segment, scanner.UnexaminedPages, scanner.LostPages);
    }

    private void Replay(PileDirectory directory, FlushLog log)
    {
        var replay = new LogReplay(_map, _allocator.Pool, _isSealed);
        FlushLog.Batch[] batches = [.. log.Read()];
        replay.Apply(Array.ConvertAll(batches, static batch => batch.Body));
        ulong versionLimit = batches.Select(static batch => batch.VersionLimit).DefaultIfEmpty().Max();
        RestoreVersions(versionLimit);
        if (versionLimit > directory.VersionLimit)
            directory.RaiseVersionLimit(versionLimit); // once for all batches: each time takes two write-throughs
        _inspector!.FlushedVersion = Math.Max(_inspector.FlushedVersion, replay.FlushedVersion);
        _inspector.CutVersion = directory.CutVersion; // a batch may know of a higher limit
        Recovery.RestoredCount = replay.AppliedCount;
    }

    private void ApplyRedo(RedoFile redo)
    {
        for (int i = 0; i < redo.Count; i++)
        {
            if (redo.Read(i) is { } found && TryApply(found))
                Recovery.RestoredCount++;
        }
    }

    private bool TryApply(RedoFile.Found found)
    {
        var header = new BlockHeader(found.HeaderWord);
        if (!_inspector!.TryFindRaw(found.Address, out byte* block, out long capacityBytes))
            return false;
        var present = new BlockHeader(*(ulong*)block);
        bool isSame = present.Generation == header.Generation && !present.IsFree && !header.IsFree;
        bool fits = _isSealed ? BlockSeal.Fits(header.PayloadBytes, capacityBytes) : header.PayloadBytes <= capacityBytes;
        if (!isSame || !fits || (long)found.OffsetBytes + found.LengthBytes > header.PayloadBytes)
            return false;
        byte* bytes = block + BlockHeader.SizeBytes + found.OffsetBytes;
        new ReadOnlySpan<byte>((void*)found.Bytes, found.LengthBytes).CopyTo(new Span<byte>(bytes, found.LengthBytes));
        if (_isSealed)
            header = BlockSeal.CloseAgain(block, header, capacityBytes, found.OffsetBytes, found.LengthBytes);
        Volatile.Write(ref *(ulong*)block, header.Word);
        return true;
    }
}
