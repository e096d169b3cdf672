using System;
using System.IO;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Catalog;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>The engine of a pile that is open for reading only, while another process may write it.</summary>
/// <remarks>Each page is read by what the writer states at that instant: nothing is recovered, and nothing written.</remarks>
internal sealed class ReaderEngine : PileEngine
{
    // Memory that the writer trimmed stays allocated while a reader has it mapped, and an idle reader would not notice.
    private static readonly TimeSpan PollInterval = TimeSpan.FromSeconds(1);

    private readonly PileDirectory _directory; // open for reading only, not locked
    private readonly SeqLockStripes _ownStripes = new(); // for a directory without a writer; never odd
    private readonly WriterFollower? _writer; // null until the opening has got so far
    private readonly ITimer? _pollTimer; // of a shared pile only

    internal ReaderEngine(PileOptions options, ILogger logger) : base(options, logger)
    {
        _directory = PileDirectory.Open(options, logger);
        Superblock superblock = _directory.Superblock;
        try
        {
            Catalog = _directory.Catalog;
            Codecs = new PileCodecs(options.Codec, Catalog, options.CodecOptions);
            CodecStamp.Check(Catalog, Codec, _directory.Path);
            if (superblock.ChecksumKind == BlockChecksumKind.None && !superblock.IsShared)
            {
                throw new PileStorageException(
                    $"The pile in '{_directory.Path}' has no checksums, and can't be read while it may be written. Open it without "
                    + "PileOptions.ReadOnly.");
            }
            OpenSegments(
                options, superblock.SegmentBytes, _directory.Segments, LimitChoice.For(options), superblock.PileId,
                superblock.GenerationBase);
            Versions = new Versions(superblock.PileId, superblock.VersionLimit, raise: null);
            bool checksEveryRead = options.Checksums == PileChecksums.AtEveryRead;
            var rules = new BlockRules(
                _directory.Path, superblock.ChecksumKind, checksEveryRead, new NoRedo(), ShadowHeaderTable.None(), null, 0);
            Blocks = new BlockStore(Barrier, Map!, Allocator!, _ownStripes, new MemoryReclaimer(Allocator!, Trimmer, Refusals), rules);
            LazyRecovery = new LazyRecovery(Barrier, Map!, Allocator!.Pool, pageRecovery: null, _directory.Faults);
            _writer = new WriterFollower(_directory, Barrier, Map!, Allocator.Pool, logger, options.WriterTimeout);
            bool isKilled = !_directory.IsBeingWritten && !_directory.LastShutdown.WasClean;
            Report = OpeningReport.OfNew with { WasClean = !isKilled, WasPowerCut = isKilled && _directory.LastShutdown.WasPowerCut };
            Shared = new SharedReader(_writer, Allocator.Pool, _ownStripes, superblock.ChecksumKind);
            _ = _writer.RefreshSnapshot(); // maps the segments, unless an owner recovers the pile just now
            if (superblock.IsShared)
                _pollTimer = Background.Every(options.TimeProvider, PollInterval, "looking what the writer gave back", _writer.Poll);
            Barrier.BlockWriters();
        }
        catch (Exception e)
        {
            AbandonUnopened();
            if (e is IOException or UnauthorizedAccessException)
                throw FileEngine.CantBeOpened(_directory.Path, e);
            throw;
        }
    }

    internal override PileDirectory? Directory => _directory;

    /// <summary>What is known of the writing process.</summary>
    internal WriterFollower Writer => _writer!;

    internal override void Refresh() => _writer!.Poll();

    // This process never counts blocks, so all pages in use count as unrecovered.
    internal override AllocatorCounters Count()
    {
        long pages = 0;
        foreach (Segment segment in Allocator!.Pool.Segments())
            pages += segment.CountPagesInUse();
        AllocatorCounters counters = base.Count();
        long mostBytes = counters.ReservedBytes - counters.HeadBytes; // a segment may have come or gone meanwhile
        return counters with { UnrecoveredBytes = Math.Min(pages * SizeClasses.PageBytes, mostBytes) };
    }

    private protected override void StopBackground() => Background.TryRun("no longer looking at the writer", () => _pollTimer?.Dispose());

    private protected override void CloseFiles() => _writer?.Dispose();

    private protected override void DisposeStripes() => _ownStripes.Dispose();
}
