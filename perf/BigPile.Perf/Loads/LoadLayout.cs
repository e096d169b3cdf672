using System;

namespace BigPile.Perf.Loads;

/// <summary>Divides the objects of a load into batches, and selects the anchors, which stay between the rounds.</summary>
/// <remarks>
/// A pile returns all empty segments but one to the system. A round that deleted everything would make the next one allocate its memory
/// anew, and the figures would again be those of page faults. So the first round leaves an anchor in place at regular distances, several to
/// a segment, and the second round puts around them. Anchors are a few objects in a million, and the figures exclude them. Objects of many
/// megabytes have none: so many of them would have to stay that the second round would need more memory instead.
/// </remarks>
internal sealed class LoadLayout
{
    private const int BatchBytes = 256 << 10;
    private const int MaxBatchObjects = 4096;
    private const long AnchorsPerSegmentAndThread = 4;
    private const int MinAnchorDistance = 8;

    private readonly int _anchorDistance;

    internal LoadLayout(int payloadBytes, int threads)
    {
        BatchObjects = Math.Clamp(BatchBytes / payloadBytes, 1, MaxBatchObjects);
        long anchorBytes = PileOptions.DefaultSegmentBytes / AnchorsPerSegmentAndThread / threads;
        int batches = (int)Math.Max(1, anchorBytes / payloadBytes / BatchObjects);
        _anchorDistance = batches * BatchObjects;
    }

    /// <summary>The objects that a worker handles in a row.</summary>
    internal int BatchObjects { get; }

    private bool HasAnchors => _anchorDistance >= MinAnchorDistance;

    /// <summary>Whether the first object of a worker's batch is an anchor. No other object of the batch ever is.</summary>
    internal bool StartsWithAnchor(Worker worker, int batchStart) =>
        HasAnchors && batchStart != worker.Start && (batchStart - worker.Start) % _anchorDistance == 0;

    /// <summary>The number of anchors among a worker's objects.</summary>
    internal int CountAnchors(Worker worker) =>
        HasAnchors ? (worker.End - worker.Start - 1) / _anchorDistance : 0;
}
