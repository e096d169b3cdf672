using System;

namespace BigPile.Allocation;

/// <summary>Where a pool takes its memory from, and how much of it.</summary>
/// <param name="Map">Finds segments by address, for readers.</param>
/// <param name="Store">Creates and removes segments.</param>
/// <param name="LimitBytes">The most bytes of all segments together.</param>
/// <param name="PileId">The pile's id, for the heads of segments.</param>
internal sealed record SegmentSource(SegmentMap Map, SegmentStore Store, long LimitBytes, Guid PileId);
