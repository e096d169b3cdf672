using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Charts;

/// <summary>Maps the figures of an axis to positions, and chooses which of them are labelled.</summary>
internal sealed class AxisScale
{
    private const double Least = 1e-15; // smaller figures are drawn at zero, or at the beginning of a logarithmic axis
    private const double Slack = 1e-9;

    private readonly Func<double, double> _stretch;
    private readonly double _low;
    private readonly double _high;
    private readonly double _lengthPixels;

    private AxisScale(double low, double high, double lengthPixels, bool isLogarithmic)
    {
        (Lowest, Highest, _lengthPixels) = (low, high, lengthPixels);
        _stretch = isLogarithmic ? Math.Log10 : static value => value;
        (_low, _high) = (_stretch(low), _stretch(high));
    }

    /// <summary>The figure at the axis' beginning.</summary>
    internal double Lowest { get; }

    /// <summary>The figure at its end.</summary>
    internal double Highest { get; }

    /// <summary>The labelled figures, ascending.</summary>
    internal IReadOnlyList<double> Ticks { get; private init; } = [];

    /// <summary>The distance of a figure from the beginning in pixels, clamped to the axis.</summary>
    internal double PixelsOf(double value) => Math.Clamp(RawPixelsOf(value), 0, _lengthPixels);

    /// <summary>An axis for figures.</summary>
    /// <param name="values">The figures to fit; on a logarithmic axis above 0. May be empty.</param>
    /// <param name="spec">The axis' specification.</param>
    internal static AxisScale Of(IReadOnlyCollection<double> values, AxisSpec spec)
    {
        double low = values.DefaultIfEmpty(1).Min();
        double high = values.DefaultIfEmpty(1).Max();
        if (spec.IsLogarithmic)
        {
            (low, high) = TickChoices.Ends(Math.Max(low, Least), Math.Max(high, Least), spec.EndsAtTicks);
            return Choose(low, high, TickChoices.Logarithmic(low, high, spec.IsBinary), spec);
        }
        (low, high) = (Math.Min(low, 0), Math.Max(high, 0));
        high = high - low >= Least ? high : 1;
        return Choose(low, high, TickChoices.Linear(low, high, spec.IsBinary, spec.IsWhole), spec);
    }

    // The first choice whose labels do not overlap, or else the one with the fewest.
    private static AxisScale Choose(double low, double high, IEnumerable<IReadOnlyList<double>> choices, AxisSpec spec)
    {
        AxisScale? scale = null;
        foreach (IReadOnlyList<double> ticks in choices)
        {
            bool grows = spec.EndsAtTicks && !spec.IsLogarithmic; // the ends of a logarithmic axis are round already
            (double first, double last) = grows ? (Math.Min(low, ticks[0]), Math.Max(high, ticks[^1])) : (low, high);
            scale = new AxisScale(first, last, spec.LengthPixels, spec.IsLogarithmic)
            {
                Ticks = [.. ticks.Where(tick => tick >= first - Slack * Math.Abs(first) && tick <= last + Slack * Math.Abs(last))],
            };
            if (scale.LabelsFit(spec.LabelPixelsOf))
                break;
        }
        return scale!;
    }

    private bool LabelsFit(Func<double, double> labelPixelsOf) => Ticks.Zip(Ticks.Skip(1)).All(
        pair => RawPixelsOf(pair.Second) - RawPixelsOf(pair.First) >= (labelPixelsOf(pair.First) + labelPixelsOf(pair.Second)) / 2);

    private double RawPixelsOf(double value) => (_stretch(value) - _low) / (_high - _low) * _lengthPixels;
}
