using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Charts;

/// <summary>The sets of round figures that an axis can have, from the most to the fewest.</summary>
internal static class TickChoices
{
    private const double Kilobyte = 1024;
    private const double ShortRatio = 8; // longer axes have 1, 2 and 5 of each power

    private const double ManyDecades = 500; // longer axes end at powers of ten
    private const double Air = 0.9; // between a mark and the axis' end

    private static readonly double[] Steps = [1, 2, 5];

    // The digits of each power of ten, and how many powers each step spans.
    private static readonly (double[] Digits, int Decades)[] Decimal =
    [
        ([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9], 1), ([1, 2, 3, 4, 5, 6, 7, 8, 9], 1), ([1, 2, 5], 1), ([1, 3], 1),
        ([1], 1), ([1], 2), ([1], 3), ([1], 6),
    ];

    private static readonly int[] Doublings = [1, 2, 5, 10, 20]; // 2^30 is a multiple of each, so that 1 GiB stays

    /// <summary>The ends of a logarithmic axis.</summary>
    /// <param name="low">The least figure, above 0.</param>
    /// <param name="high">The largest.</param>
    /// <param name="toTicks">Whether the ends are round figures, a ratio of 10 apart at least.</param>
    internal static (double Low, double High) Ends(double low, double high, bool toTicks)
    {
        if (!toTicks)
            return low < high ? (low, high) : (low / 2, high * 2);
        double first = Below(low * Air, Steps);
        double last = 1 / Below(Air / high, Steps);
        if (last / first >= ManyDecades)
            return (Below(low * Air, [1]), 1 / Below(Air / high, [1]));
        return last / first >= 9.999 ? (first, last) : (first, first * 10);
    }

    /// <summary>Ticks of an axis on which equal steps are equal ratios.</summary>
    internal static IEnumerable<IReadOnlyList<double>> Logarithmic(double low, double high, bool isBinary) => isBinary
        ? Doublings.Select(doublings => Powers(low, high, Math.Pow(2, doublings), [1]))
        : Decimal.Where(choice => choice.Digits.Length <= Steps.Length || high / low < ShortRatio)
            .Select(choice => Powers(low, high, Math.Pow(10, choice.Decades), choice.Digits));

    /// <summary>Ticks of an axis that includes zero; the first and the last may lie outside of it.</summary>
    internal static IEnumerable<IReadOnlyList<double>> Linear(double low, double high, bool isBinary, bool isWhole)
    {
        double range = high - low;
        bool areBytes = isBinary && range >= Kilobyte;
        double most = Math.Max(range, isWhole ? 1 : 0) * 2;
        for (double step = FirstStep(range, areBytes); step < most; step = NextStep(step, areBytes))
        {
            if (!isWhole || step >= 1)
                yield return Multiples(low, high, step);
        }
    }

    private static double FirstStep(double range, bool areBytes) =>
        areBytes ? Math.Pow(2, Math.Floor(Math.Log2(range / 10))) : Math.Pow(10, Math.Floor(Math.Log10(range / 10)));

    private static double NextStep(double step, bool areBytes)
    {
        if (areBytes)
            return step * 2;
        double power = Math.Pow(10, Math.Floor(Math.Log10(step * 1.0001)));
        double digit = Steps.FirstOrDefault(candidate => candidate * power > step * 1.0001, 10);
        return digit * power;
    }

    private static double[] Multiples(double low, double high, double step)
    {
        var first = (long)Math.Floor(low / step + 1e-9);
        var last = (long)Math.Ceiling(high / step - 1e-9);
        return [.. Enumerable.Range(0, (int)(last - first) + 1).Select(i => (first + i) * step)];
    }

    private static double[] Powers(double low, double high, double factor, double[] digits)
    {
        var first = (int)Math.Floor(Math.Log(low) / Math.Log(factor) - 1e-9);
        var last = (int)Math.Ceiling(Math.Log(high) / Math.Log(factor) + 1e-9);
        return
        [
            .. from power in Enumerable.Range(first, last - first + 1)
            from digit in digits
            let value = digit * Math.Pow(factor, power)
            where value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)
            select value,
        ];
    }

    private static double Below(double value, double[] steps)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(value) + 1e-9));
        return steps.Last(step => step * power <= value * (1 + 1e-9)) * power;
    }
}
