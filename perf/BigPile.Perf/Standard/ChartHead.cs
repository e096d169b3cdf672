using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>A chart without its figures.</summary>
/// <param name="Id">As <see cref="RunChart.Id"/>.</param>
/// <param name="Title">As <see cref="RunChart.Title"/>.</param>
/// <param name="HowMade">As <see cref="RunChart.HowMade"/>.</param>
/// <param name="X">As <see cref="RunChart.X"/>.</param>
/// <param name="Y">As <see cref="RunChart.Y"/>.</param>
/// <param name="MoreIsBetter">As <see cref="RunChart.MoreIsBetter"/>.</param>
internal sealed record ChartHead(string Id, string Title, string HowMade, RunAxis X, RunAxis Y, bool MoreIsBetter);
