using System;
using System.IO;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Reporting;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile;

/// <summary>Looking whether everything is what was written.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>
    /// Looks at every block of this pile, also while others write. Nothing is changed but for pages that nobody had examined yet.
    /// </summary>
    /// <param name="cancellationToken">Stops the walk.</param>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PileVerification Verify(CancellationToken cancellationToken = default) => Verify(new ProgressGauge(null), cancellationToken);

    /// <summary>As <see cref="Verify(CancellationToken)"/>, and says how far it is.</summary>
    /// <param name="progress">
    /// Is told the pages that the walk has behind it, in use or not, of those of all segments at its beginning. No lock is held and no
    /// other call waits meanwhile.
    /// </param>
    /// <param name="cancellationToken">Stops the walk.</param>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PileVerification Verify(IProgress<PileProgress> progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(progress);
        return Verify(new ProgressGauge(progress), cancellationToken);
    }

    private PileVerification Verify(ProgressGauge gauge, CancellationToken cancellationToken)
    {
        var faults = new FaultLog();
        if (!IsReadOnly && _directory is { HasTracesOfCut: true })
            ExamineAll(); // a link may lead to a page that was not: what lies there may be about to be put right
        Stripes stripes = WritersStripes();
        BlockInspector inspector = new(_allocator.Pool, _isSealed) { LeftAs = LeftAs.Killed, Moved = IsReadOnly ? SharedMoves() : _moved };
        // Between a deletion's two stores its target has no origin: a trace, as after a kill.
        var verifier = new PileVerifier(inspector, stripes, wasClean: false, faults);
        Segment[] segments = _allocator.Pool.Segments();
        gauge.Begin(PageGauge.CountPages(segments));
        foreach (Segment segment in segments)
            Verify(verifier, segment, gauge, cancellationToken);
        foreach (PileFault fault in Faults.Kept)
            faults.Add(fault);
        gauge.Complete();
        return Describe(verifier, segments.Length, wasClean: true, _isSealed, faults);
    }

    /// <summary>Looks at everything in the directory of a pile that nobody has open. Nothing is changed.</summary>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="cancellationToken">Stops the walk.</param>
    /// <exception cref="PileStorageException">The directory holds no pile, is in use, or is so damaged that it can't be opened.</exception>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    public static PileVerification VerifyDirectory(string directory, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        string path = Path.GetFullPath(directory);
        using DirectoryLock? owner = LockForLooking(path);
        var looking = new PileOptions { Directory = path, ReadOnly = true };
        using PileDirectory files = PileDirectory.Open(looking, NullLogger.Instance, reportsCatalog: true);
        using var map = new SegmentMap(files.SegmentBytes);
        using var pool = new PagePool(map, files.Segments, long.MaxValue, files.PileId, files.GenerationBase);
        FaultLog faults = files.Faults;
        foreach ((int number, long lengthBytes) in files.ListedSegments)
            MapForVerifying(files, map, pool, number, lengthBytes);
        using MovedTable? moved = files.LeftAs == LeftAs.Killed ? MovedTable.OpenForReading(files.Files) : null;
        BlockInspector inspector = new(pool, files.HasChecksums) { LeftAs = files.LeftAs, Moved = moved, Epoch = files.LogEpoch,
            HasTracesOfCut = files.HasTracesOfCut };
        var verifier = new PileVerifier(inspector, stripes: null, files.WasClean, faults);
        Segment[] segments = pool.Segments();
        foreach (Segment segment in segments)
        {
            for (int page = segment.HeadPages; page < segment.PageCount;)
            {
                cancellationToken.ThrowIfCancellationRequested();
                page += verifier.Check(segment, page);
            }
        }
        return Describe(verifier, segments.Length, files.WasClean, files.HasChecksums, faults);
    }

    private static DirectoryLock? LockForLooking(string path)
    {
        if (!File.Exists(Path.Combine(path, DirectoryLock.LockName)))
            return null;
        using HeldDirectory directory = HeldDirectory.Open(path);
        return DirectoryLock.TakeForLooking(directory);
    }

    private static void MapForVerifying(PileDirectory files, SegmentMap map, PagePool pool, int number, long lengthBytes)
    {
        if (!IsPossibleSegment(map, pool, number, lengthBytes))
        {
            files.Faults.Add(
                new PileFault(files.Path, $"the superblock lists an impossible segment {number} of {lengthBytes:N0} bytes", 0));
            return;
        }
        MappedRegion region;
        try
        {
            region = files.Segments.Open(number, lengthBytes);
        }
        catch (PileStorageException e)
        {
            files.Faults.Add(new PileFault(files.Segments.PathOf(number), e.Message, lengthBytes));
            return;
        }
        if (!SegmentScanner.IsHead(region, number, files.PileId))
            files.Faults.Add(new PileFault(files.Segments.PathOf(number), "its head is damaged, or belongs to another pile", 0));
        pool.Hold(new Segment(number, map.AddressOf(number), region, knowsFrozen: false), isShared: true);
    }

    private void Verify(PileVerifier verifier, Segment segment, ProgressGauge gauge, CancellationToken cancellationToken)
    {
        for (int page = segment.HeadPages; page < segment.PageCount;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int passed = VerifyPage(verifier, segment, page);
            page += passed;
            gauge.Advance(passed); // outside the pile: whoever is told may take his time
        }
    }

    /// <summary>Looks at a page, or at the run that begins there.</summary>
    /// <returns>How many pages that were; all that are left when the segment is no more.</returns>
    private int VerifyPage(PileVerifier verifier, Segment segment, int page)
    {
        ThreadPresence presence = Enter();
        try
        {
            if (!_allocator.Pool.IsInUse(segment))
                return segment.PageCount - page; // given back to the system meanwhile, and perhaps another one of its number is there
            if (!IsReadOnly)
                _ = ExaminePage(_map.AddressOf(segment.Number) + (ulong)page * UnitsPerPage);
            return verifier.Check(segment, page);
        }
        finally
        {
            Exit(presence);
        }
    }

    private static PileVerification Describe(PileVerifier verifier, int segments, bool wasClean, bool hasChecksums, FaultLog faults) =>
        new()
    {
        SegmentCount = segments,
        PageCount = verifier.PageCount,
        BlockCount = verifier.BlockCount,
        PayloadBytes = verifier.PayloadBytes,
        HasChecksums = hasChecksums,
        WasClean = wasClean,
        TraceCount = verifier.TraceCount,
        FaultCount = faults.Count,
        Faults = faults.Kept,
    };
}
