using System;

namespace BigPile.Perf.Charts;

/// <summary>What an axis is to be like.</summary>
/// <param name="IsLogarithmic">Whether equal steps are equal ratios.</param>
/// <param name="IsBinary">Whether its figures go by powers of two, as bytes and threads do.</param>
/// <param name="IsWhole">Whether there is nothing between whole numbers.</param>
/// <param name="EndsAtTicks">Whether it may reach beyond its figures, to the next round ones.</param>
/// <param name="LengthPixels">Its length.</param>
/// <param name="LabelPixelsOf">How much of the length the text of a figure takes, with a distance to the next.</param>
internal sealed record AxisSpec(
    bool IsLogarithmic, bool IsBinary, bool IsWhole, bool EndsAtTicks, double LengthPixels, Func<double, double> LabelPixelsOf);
