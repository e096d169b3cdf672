using System;
using System.Numerics;

namespace BigPile.Perf.Soaking;

/// <summary>Divides the live bytes among the parts.</summary>
internal sealed class SoakBudget(SoakOptions options)
{
    private const int OwnPercent = 65;
    private const int SharedPercent = 5;
    private const int KeptPercent = 12;
    private const int LimitedPercent = 9;
    private const int TaggedPercent = 9;
    private const int EntryBytes = 60; // what an entry has beside its value: key, header, slack, its place in the index
    private const int HotSlots = 64;
    private const long MinSegmentBytes = 4L << 20;
    private const int SegmentsAtLeast = 16;

    /// <summary>Bytes of values that a worker has of its own.</summary>
    internal long OwnBytes => BytesOf(OwnPercent) / options.Threads;

    /// <summary>The most values that a worker has of its own.</summary>
    internal int OwnSlots => (int)Math.Min(SoakId.MaxNumber, OwnBytes / SoakSizes.MeanBytes * 3 / 2 + HotSlots);

    /// <summary>Values that all read and each worker changes so many of.</summary>
    internal int SharedSlots => NumberOf(BytesOf(SharedPercent) / SoakSizes.MeanBytes / options.Threads + HotSlots);

    /// <summary>Keys of each worker in the durable table; half of them are present.</summary>
    internal int KeptKeys => NumberOf(2 * BytesOf(KeptPercent) / (SoakSizes.MeanTableBytes + EntryBytes) / options.Threads);

    /// <summary>The limit of the table with expiry.</summary>
    internal long LimitedBytes => Math.Max(1 << 20, BytesOf(LimitedPercent));

    /// <summary>Keys of that table: twice as many as fit.</summary>
    internal int LimitedKeys => NumberOf(2 * LimitedBytes / (SoakSizes.MeanTableBytes + EntryBytes));

    /// <summary>The limit of the table with tags and priorities.</summary>
    internal long TaggedBytes => Math.Max(1 << 20, BytesOf(TaggedPercent));

    /// <summary>Keys of each worker in that table: together twice as many as fit.</summary>
    internal int TaggedKeys => NumberOf(2 * TaggedBytes / (SoakSizes.MeanTableBytes + EntryBytes) / options.Threads);

    /// <summary>Small enough for segments to come and go.</summary>
    internal long SegmentBytes => Math.Clamp(
        (long)BitOperations.RoundUpToPowerOf2((ulong)BytesOf(100) / SegmentsAtLeast), MinSegmentBytes, PileOptions.DefaultSegmentBytes);

    private long BytesOf(int percent) => options.Megabytes * 1_000_000L * percent / 100;

    private static int NumberOf(long count) => (int)Math.Min(SoakId.MaxNumber, count);
}
