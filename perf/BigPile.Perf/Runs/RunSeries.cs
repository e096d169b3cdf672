using System.Collections.Generic;

namespace BigPile.Perf.Runs;

/// <summary>One line of a chart.</summary>
/// <param name="Name">Its name in the legend; unique in its chart.</param>
/// <param name="IsBaseline">
/// Whether it is of something else than BigPile, drawn beside it. Two runs that differ in it ran on machines that differ, or are loaded
/// differently; it is never a loss.
/// </param>
/// <param name="Points">By rising <see cref="RunPoint.X"/>.</param>
internal sealed record RunSeries(string Name, bool IsBaseline, IReadOnlyList<RunPoint> Points);
