using System;
using System.Globalization;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Charts;

/// <summary>Figures as people read them: short on an axis, in full in a table.</summary>
internal static class FigureText
{
    private const char HardSpace = '\u00a0'; // a figure and its unit stay on one line
    private const int Digits = 4;
    private const double JustBelow = 0.9999999; // for rounding errors just below a round figure

    private static readonly string[] Counts = ["", "k", "M", "G", "T"];
    private static readonly string[] Sizes = ["B", "KiB", "MiB", "GiB", "TiB"];
    private static readonly string[] Times = ["ns", "µs", "ms", "s"];

    /// <summary>Whether a figure of this unit is written with a unit of its own size, such as GiB.</summary>
    internal static bool IsScaled(string unit) => IsSize(unit) || IsTime(unit);

    /// <summary>Whether the figures are bytes: they go by powers of two.</summary>
    internal static bool IsSize(string unit) => unit == "bytes";

    /// <summary>A figure with few digits: <c>10 M</c>, <c>0.1 ms</c>, <c>2 GiB</c>.</summary>
    internal static string Short(double value, string unit)
    {
        if (IsSize(unit))
            return Scaled(value, 1024, Sizes);
        return IsTime(unit) ? ScaledTime(value, unit) : Scaled(value, 1000, Counts);
    }

    /// <summary>A figure with all significant digits: <c>15,493,582</c>, <c>0.1234</c>, <c>1.5 GiB</c>.</summary>
    internal static string Full(double value, string unit)
    {
        if (IsSize(unit))
            return Scaled(value, 1024, Sizes);
        return Math.Abs(value) >= 1000 ? Invariant($"{value:#,0}") : Rounded(value);
    }

    /// <summary>The same with its unit behind it, if it has one.</summary>
    internal static string FullWithUnit(double value, string unit)
    {
        string figure = Full(value, unit);
        return unit.Length == 0 || IsSize(unit) ? figure : figure + HardSpace + UnitOf(unit);
    }

    /// <summary>From the lowest to the highest.</summary>
    internal static string Range(Spread spread, string unit) => $"{Full(spread.Lowest, unit)} – {Full(spread.Highest, unit)}";

    /// <summary>What an axis or a column counts, with its unit.</summary>
    internal static string Named(string label, string unit)
    {
        if (unit.Length == 0)
            return label;
        bool isRate = unit.StartsWith("a ", StringComparison.Ordinal) || unit.StartsWith("per ", StringComparison.Ordinal);
        return $"{label}{(isRate ? "" : ",")} {UnitOf(unit)}";
    }

    private static bool IsTime(string unit) => unit == "us" || Array.IndexOf(Times, unit) >= 0;

    private static string UnitOf(string unit) => unit == "us" ? "µs" : unit;

    private static string ScaledTime(double value, string unit)
    {
        int known = Array.IndexOf(Times, UnitOf(unit));
        int size = value == 0 ? known : Times.Length - 1;
        while (size > 0 && value != 0 && Math.Abs(InTime(value, known, size)) < LeastOf(size, known))
            size--;
        return Rounded(InTime(value, known, size)) + HardSpace + Times[size];
    }

    private static double InTime(double value, int from, int to) => value * Math.Pow(1000, from - to);

    // A figure from a tenth of the chart's own unit on is shown in that unit; other units are used from one on.
    private static double LeastOf(int size, int known) => (size == known ? 0.1 : 1) * JustBelow;

    private static string Scaled(double value, double step, string[] units)
    {
        int size = 0;
        double rest = value;
        while (size < units.Length - 1 && Math.Abs(rest) >= step * JustBelow)
        {
            rest /= step;
            size++;
        }
        return units[size].Length == 0 ? Rounded(rest) : Rounded(rest) + HardSpace + units[size];
    }

    private static string Rounded(double value)
    {
        double size = Math.Abs(value);
        if (size >= 1000 || size == 0)
            return Invariant($"{value:#,0}");
        if (size < 0.0001)
            return Invariant($"{value:0.###E+0}");
        int wholeDigits = (int)Math.Floor(Math.Log10(size)) + 1;
        return Math.Round(value, Digits - wholeDigits).ToString("0.########", CultureInfo.InvariantCulture);
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
