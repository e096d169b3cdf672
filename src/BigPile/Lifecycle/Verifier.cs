using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Concurrency;
using BigPile.Reporting;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.Lifecycle;

/// <summary>Verifies that everything is what was written.</summary>
internal sealed class Verifier(PileEngine engine)
{
    private readonly OperationBarrier _barrier = engine.Barrier; // a critical region for each page
    private readonly PagePool _pool = engine.Blocks.Allocator.Pool; // of the open pile

    /// <summary>Checks every block of an open pile.</summary>
    internal PileVerification Run(ProgressGauge gauge, CancellationToken cancellationToken)
    {
        BlockStore blocks = engine.Blocks;
        var faults = new FaultLog();
        var reader = engine as ReaderEngine;
        if (reader == null && engine.Directory is { LastShutdown.HasTracesOfCut: true })
            engine.LazyRecovery.RecoverAll(); // a link may point to an unrecovered page, whose content recovery may still repair
        SeqLockStripes stripes = reader?.Writer.WritersStripes() ?? blocks.Stripes;
        ShadowHeaderTable? shadowHeaders = reader != null ? reader.Writer.ShadowHeaders() : blocks.ShadowHeaders;
        BlockInspector inspector = new(_pool, blocks.Checksums) { Shutdown = ShutdownKind.Killed, ShadowHeaders = shadowHeaders };
        // Between a deletion's two stores a target has no link: a trace, as after a kill.
        var verifier = new PileVerifier(inspector, stripes, wasClean: false, faults);
        Segment[] segments = _pool.Segments();
        gauge.Begin(PageGauge.CountPages(segments));
        foreach (Segment segment in segments)
            Check(verifier, segment, gauge, cancellationToken);
        foreach (PileFault fault in engine.LazyRecovery.Faults.Kept)
            faults.Add(fault);
        gauge.Complete();
        return Describe(verifier, segments.Length, engine.Report.WasClean, blocks.HasChecksums, faults);
    }

    /// <summary>Checks everything in the directory of a pile that no process has open.</summary>
    internal static PileVerification RunAt(string directory, ProgressGauge gauge, CancellationToken cancellationToken)
    {
        string path = Path.GetFullPath(directory);
        using DirectoryLock? owner = LockForReading(path);
        var options = new PileOptions { Directory = path, ReadOnly = true };
        using PileDirectory files = PileDirectory.Open(options, NullLogger.Instance, reportsCatalog: true);
        using var map = new SegmentMap(files.Superblock.SegmentBytes);
        using var pool = new PagePool(
            map, files.Segments, long.MaxValue, files.Superblock.PileId, files.Superblock.GenerationBase, new EventCount());
        foreach ((int number, long lengthBytes) in files.Superblock.ListedSegments)
            SegmentMapping.MapForVerifying(files, map, pool, number, lengthBytes);
        using ShadowHeaderTable? shadowHeaders =
            files.LastShutdown.Kind == ShutdownKind.Killed ? ShadowHeaderTable.OpenForReading(files.Files) : null;
        BlockInspector inspector = new(pool, files.Superblock.ChecksumKind)
        {
            Shutdown = files.LastShutdown.Kind,
            ShadowHeaders = shadowHeaders,
            Epoch = files.Superblock.LogEpoch,
            HasTracesOfCut = files.LastShutdown.HasTracesOfCut,
        };
        if (files.LastShutdown.WasPowerCut)
        {
            using var log = new FlushLog(files, PileOptions.MaxFlushLogBytes);
            _ = log.Read().Count(); // reading finds the damage
        }
        var verifier = new PileVerifier(inspector, stripes: null, files.LastShutdown.WasClean, files.Faults);
        Segment[] segments = pool.Segments();
        gauge.Begin(PageGauge.CountPages(segments));
        foreach (Segment segment in segments)
        {
            for (int page = segment.HeadPages; page < segment.PageCount;)
            {
                cancellationToken.ThrowIfCancellationRequested();
                int passed = verifier.Check(segment, page);
                page += passed;
                gauge.Advance(passed);
            }
        }
        gauge.Complete();
        bool hasChecksums = files.Superblock.ChecksumKind != BlockChecksumKind.None;
        return Describe(verifier, segments.Length, files.LastShutdown.WasClean, hasChecksums, files.Faults);
    }

    private void Check(PileVerifier verifier, Segment segment, ProgressGauge gauge, CancellationToken cancellationToken)
    {
        for (int page = segment.HeadPages; page < segment.PageCount;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int passed = CheckPage(verifier, segment, page);
            Debug.Assert(passed > 0, "The walk advances, whatever a damaged page says about its run.");
            page += passed;
            gauge.Advance(passed); // outside the critical region: listeners may be slow
        }
    }

    /// <summary>Checks a page, or the run that begins there.</summary>
    /// <returns>The number of pages; all remaining ones if the segment is gone.</returns>
    private int CheckPage(PileVerifier verifier, Segment segment, int page)
    {
        using ReadScope scope = new ReadScope(_barrier.EnterReader(), this);
        if (!_pool.IsInUse(segment))
            return segment.PageCount - page; // trimmed meanwhile, and its number may be reused
        _ = engine.LazyRecovery.RecoverPage(segment, page); // does nothing in a pile that is open for reading only
        return verifier.Check(segment, page);
    }

    private static DirectoryLock? LockForReading(string path)
    {
        if (!File.Exists(Path.Combine(path, DirectoryLock.LockName)))
            return null;
        using HeldDirectory directory = HeldDirectory.Open(path);
        return DirectoryLock.TakeForReading(directory);
    }

    private static PileVerification Describe(PileVerifier verifier, int segments, bool wasClean, bool hasChecksums, FaultLog faults) =>
        new()
    {
        SegmentCount = segments,
        PageCount = verifier.PageCount,
        BlockCount = verifier.BlockCount,
        LegacyChecksumCount = verifier.LegacyChecksumCount,
        PayloadBytes = verifier.PayloadBytes,
        HasChecksums = hasChecksums,
        WasClean = wasClean,
        TraceCount = verifier.TraceCount,
        FaultCount = faults.Count,
        Faults = faults.Kept,
    };
}
