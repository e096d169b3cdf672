using System;

namespace BigPile.Perf.Charts;

/// <summary>The specification of an axis.</summary>
/// <param name="IsLogarithmic">Whether equal steps are equal ratios.</param>
/// <param name="IsBinary">Whether ticks are powers of two, as for bytes and threads.</param>
/// <param name="IsWhole">Whether only whole numbers occur.</param>
/// <param name="EndsAtTicks">Whether it extends beyond its figures to the next round ones.</param>
/// <param name="LengthPixels">Its length.</param>
/// <param name="LabelPixelsOf">The pixels that a figure's label takes, including the distance to the next.</param>
internal sealed record AxisSpec(
    bool IsLogarithmic, bool IsBinary, bool IsWhole, bool EndsAtTicks, double LengthPixels, Func<double, double> LabelPixelsOf);
