using System;

namespace BigPile.Allocation;

/// <summary>What a pool takes its memory from, and how much of it.</summary>
/// <param name="Map">Where readers find the segments.</param>
/// <param name="Store">What makes and removes them.</param>
/// <param name="LimitBytes">The most bytes of all of them.</param>
/// <param name="PileId">The number of the pile, for their heads.</param>
internal sealed record SegmentSource(SegmentMap Map, SegmentStore Store, long LimitBytes, Guid PileId);
