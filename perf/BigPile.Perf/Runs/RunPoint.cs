using System.Collections.Generic;

namespace BigPile.Perf.Runs;

/// <summary>One figure.</summary>
/// <param name="X">Where it lies.</param>
/// <param name="Repeats">What each repetition measured, in the order in which they ran; at least one. The chart shows their median.</param>
internal sealed record RunPoint(double X, IReadOnlyList<double> Repeats);
