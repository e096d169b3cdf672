using System;
using System.Diagnostics;

namespace BigPile.Perf.Copies;

/// <summary>Measures one way to copy.</summary>
internal abstract class CopyMeter
{
    internal static CopyMeter[] All { get; } =
    [
        new CopyMeter<PointerWay>(), new CopyMeter<SpanWay>(), new CopyMeter<ViewStreamWay>(), new CopyMeter<AccessorWay>(),
        new CopyMeter<ByteLoopWay>(), new CopyMeter<MarshalWay>(), new CopyMeter<MarshalBackWay>(), new CopyMeter<UnmanagedStreamWay>(),
        new CopyMeter<UnmanagedStreamBackWay>(), new CopyMeter<StreamCopyWay>(), new CopyMeter<LimitWay>(),
    ];

    internal abstract string Name { get; }

    /// <summary>Copies for some time.</summary>
    /// <returns>The nanoseconds that a copy takes.</returns>
    internal abstract double Measure(CopyBuffers buffers, CopyPlace place, TimeSpan least);

    /// <summary>Copies an image, and compares it.</summary>
    internal abstract void Check(CopyBuffers buffers);
}

/// <inheritdoc/>
/// <typeparam name="TWay">The way.</typeparam>
internal sealed class CopyMeter<TWay> : CopyMeter where TWay : struct, ICopyWay
{
    internal override string Name => TWay.Name;

    internal override double Measure(CopyBuffers buffers, CopyPlace place, TimeSpan least)
    {
        long copies = 0;
        int at = 0;
        int last = buffers.LengthBytes - place.SizeBytes;
        long start = Stopwatch.GetTimestamp();
        TimeSpan elapsed;
        do
        {
            at = CopyBatch(buffers, place, at, last);
            copies += place.Batch;
            elapsed = Stopwatch.GetElapsedTime(start);
        }
        while (elapsed < least);
        return elapsed.TotalNanoseconds / copies;
    }

    internal override void Check(CopyBuffers buffers)
    {
        buffers.Prepare(TWay.IsBack, CopyOptions.ImageBytes);
        TWay.Copy(buffers, 0, CopyOptions.ImageBytes);
        if (!buffers.IsCopied(CopyOptions.ImageBytes))
            throw new LoadException($"What was copied by '{Name}' came out changed.");
    }

    private static int CopyBatch(CopyBuffers buffers, CopyPlace place, int at, int last)
    {
        int sizeBytes = place.SizeBytes;
        int stepBytes = place.StepBytes;
        for (int i = place.Batch; i > 0; i--)
        {
            TWay.Copy(buffers, at, sizeBytes);
            at += stepBytes;
            if (at > last)
                at = 0;
        }
        return at;
    }
}

/// <summary>A case of the copy load: how much is copied, and whether each copy uses other bytes.</summary>
/// <param name="Name">Its name.</param>
/// <param name="SizeBytes">The bytes of a copy.</param>
/// <param name="GoesRound">Whether it cycles through the pool, and so misses the processor's caches.</param>
internal sealed record CopyPlace(string Name, int SizeBytes, bool GoesRound)
{
    private const int BatchBytes = 1 << 20;

    internal static CopyPlace[] All { get; } =
    [
        new("cache", CopyOptions.SmallBytes, GoesRound: false),
        new("memory", CopyOptions.SmallBytes, GoesRound: true),
        new("image", CopyOptions.ImageBytes, GoesRound: false),
        new("imageMemory", CopyOptions.ImageBytes, GoesRound: true),
    ];

    /// <summary>The copies between two reads of the clock.</summary>
    internal int Batch => SizeBytes < BatchBytes ? BatchBytes / SizeBytes : 1;

    /// <summary>The distance from one copy to the next in bytes.</summary>
    internal int StepBytes => GoesRound ? SizeBytes : 0;
}
