using System;
using System.Numerics;
using BigPile.Concurrency;
using BigPile.Storage;

namespace BigPile;

/// <summary>What the options of a pile may be.</summary>
public sealed unsafe partial class Pile
{
    internal const long MinSegmentBytes = 4L << 20;
    internal const long MaxSegmentBytes = 1L << 30;
    internal const long MinLimitBytes = 1L << 20;
    internal const long MinFlushLogBytes = 1L << 20;
    internal const long MaxFlushLogBytes = 1L << 30;

    internal static readonly TimeSpan MaxFlushInterval = TimeSpan.FromDays(7);

    private static void Validate(PileOptions options)
    {
        if (!BitOperations.IsPow2(options.SegmentBytes) || options.SegmentBytes < MinSegmentBytes || options.SegmentBytes > MaxSegmentBytes)
        {
            throw new ArgumentException(
                $"PileOptions.SegmentBytes is {options.SegmentBytes:N0}; it must be a power of two from {MinSegmentBytes:N0} to "
                + $"{MaxSegmentBytes:N0}.",
                nameof(options));
        }
        if (options.MaxBytes < MinLimitBytes)
        {
            throw new ArgumentException(
                $"PileOptions.MaxBytes is {options.MaxBytes:N0}; it must be at least {MinLimitBytes:N0}.", nameof(options));
        }
        if (options.Directory == null && (options.Store == StoreKind.Mapped || options.ReadOnly))
            throw new ArgumentException(
                "A mapped pile, or one that is opened for reading only, needs PileOptions.Directory.", nameof(options));
        if (options.FlushLogBytes < MinFlushLogBytes || options.FlushLogBytes > MaxFlushLogBytes)
        {
            throw new ArgumentException(
                $"PileOptions.FlushLogBytes is {options.FlushLogBytes:N0}; it must be from {MinFlushLogBytes:N0} to {MaxFlushLogBytes:N0}.",
                nameof(options));
        }
        if (options.FlushInterval <= TimeSpan.Zero || options.FlushInterval > MaxFlushInterval)
            throw new ArgumentException($"PileOptions.FlushInterval is {options.FlushInterval}; it must be more than nothing and at most "
                + $"{MaxFlushInterval}.", nameof(options));
        if (options.WarmupBytesPerSecond < 0)
            throw new ArgumentException(
                $"PileOptions.WarmupBytesPerSecond is {options.WarmupBytesPerSecond:N0}; it must not be negative.", nameof(options));
        ArgumentNullException.ThrowIfNull(options.TimeProvider);
        ArgumentNullException.ThrowIfNull(options.CodecOptions);
    }

    // A small limit must not be one segment's size that is never reached.
    private static long LargestSegmentFor(long limitBytes) =>
        Math.Clamp((long)BitOperations.RoundUpToPowerOf2((ulong)Math.Min(limitBytes, MaxSegmentBytes)), MinSegmentBytes, MaxSegmentBytes);

    private static SegmentStore CreateStore(PileOptions options, BackgroundWork background) =>
        options.CustomStore ?? new MemorySegmentStore(options.Store, options.HugePages, background);
}
