namespace BigPile.Perf.Charts;

/// <summary>How large a chart is drawn; its letters have the same size in each.</summary>
/// <param name="Width">All of it, in pixels.</param>
/// <param name="PlotHeight">The part with the lines; texts come beside it.</param>
/// <param name="ClassName">What the page's style sheet calls it.</param>
internal sealed record ChartSize(double Width, double PlotHeight, string ClassName)
{
    /// <summary>For a screen or a sheet of paper.</summary>
    internal static ChartSize Wide { get; } = new(760, 290, "wide");

    /// <summary>For a telephone.</summary>
    internal static ChartSize Narrow { get; } = new(390, 250, "narrow");
}
