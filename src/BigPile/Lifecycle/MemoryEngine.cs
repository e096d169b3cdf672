using System;
using System.Diagnostics;
using System.Numerics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Catalog;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Reporting;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>The engine of a pile in memory, which ends with its process.</summary>
internal sealed class MemoryEngine : PileEngine
{
    private readonly SeqLockStripes _stripes = new();

    /// <summary>Makes an empty pile.</summary>
    internal MemoryEngine(PileOptions options, ILogger logger) : base(options, logger)
    {
        try
        {
            Catalog = new MemoryCatalog();
            Codecs = new PileCodecs(options.Codec, Catalog, options.CodecOptions);
            PileLimit limit = LimitChoice.For(options);
            SegmentStore store = options.CustomStore ?? new MemorySegmentStore(options.Store, options.HugePages);
            var pileId = Guid.NewGuid();
            OpenSegments(options, Math.Min(options.SegmentBytes, LargestSegmentFor(limit.Bytes)), store, limit, pileId, 0);
            if (options.Store != StoreKind.Managed)
                WorkAhead(options);
            Versions = new Versions(pileId, storedLimit: 0, raise: null);
            Blocks = new BlockStore(
                Barrier, Map!, Allocator!, _stripes, new MemoryReclaimer(Allocator!, Trimmer, Refusals), BlockRules.OfMemory);
            LazyRecovery = new LazyRecovery(Barrier, Map!, Allocator!.Pool, pageRecovery: null, new FaultLog());
        }
        catch
        {
            AbandonUnopened();
            throw;
        }
    }

    private protected override void DisposeStripes() => _stripes.Dispose();

    // With a small limit, a segment is no larger than the limit rounded up to a power of two.
    private static long LargestSegmentFor(long limitBytes) => Math.Clamp(
        (long)BitOperations.RoundUpToPowerOf2((ulong)Math.Min(limitBytes, PileOptions.MaxSegmentBytes)), PileOptions.MinSegmentBytes,
        PileOptions.MaxSegmentBytes);
}

/// <summary>Reclaims space of a pile in memory: freed space is free at once, except what a trim is returning just now.</summary>
internal sealed class MemoryReclaimer(Allocator allocator, Trimmer trimmer, Refusals refusals)
    : Reclaimer(allocator, refusals)
{
    private protected override bool IsFlushWanted => false;

    private protected override bool TryRequestDiskSpace() => false;

    internal override int Reclaim(int attempt)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "A flush or trim waits until this thread's critical region ends.");
        Allocator.WaitForReclaim();
        return attempt + 1;
    }

    internal override bool TryFlush() => true;

    internal override void RequestFlush()
    {
    }

    internal override void TrimQuietly() => trimmer.TrimQuietly();

    internal override void RequestTrim() => trimmer.Request();
}
