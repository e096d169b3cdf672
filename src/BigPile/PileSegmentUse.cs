using System.Collections.Generic;

namespace BigPile;

/// <summary>What the pages of a segment are used for; see <see cref="PileSegments.Survey"/>.</summary>
/// <param name="Number">The number of the segment.</param>
/// <param name="Parts">Its pages in order, in parts whose lengths differ by one page at most.</param>
public sealed record PileSegmentUse(int Number, IReadOnlyList<PilePageUse> Parts);
