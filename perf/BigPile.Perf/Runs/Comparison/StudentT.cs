using System;

namespace BigPile.Perf.Runs.Comparison;

/// <summary>Student's distribution: how far a mean of few figures lies from what it is a mean of.</summary>
/// <remarks>
/// With t = sqrt(freedom) tan(angle), the density over the angle goes by cos(angle)^(freedom - 1): both the tail and the whole are a smooth
/// integral over a finite range, and their ratio needs no gamma function.
/// </remarks>
internal static class StudentT
{
    private const double MaxFreedom = 200; // hardly different from the normal distribution, and on the careful side of it
    private const int Steps = 200;
    private const int Rounds = 20;
    private const double SameAngle = 1e-14;

    /// <summary>The probability to be as far from zero or farther, to either side.</summary>
    /// <param name="t">How far, in standard errors.</param>
    /// <param name="freedom">The degrees of freedom, from 1.</param>
    internal static double TwoSided(double t, double freedom)
    {
        double power = PowerOf(freedom);
        return Integral(Math.Atan(Math.Abs(t) / Math.Sqrt(power + 1)), power) / Integral(0, power);
    }

    /// <summary>How far from zero it is to the given probability.</summary>
    /// <param name="twoSided">The probability, within 0 and 1.</param>
    /// <param name="freedom">The degrees of freedom, from 1.</param>
    /// <remarks>By Newton's method over the angle: the probability falls ever more slowly, so that no step goes too far.</remarks>
    internal static double Quantile(double twoSided, double freedom)
    {
        double power = PowerOf(freedom);
        double whole = Integral(0, power);
        double angle = whole * (1 - twoSided); // the first step from 0
        double step = angle;
        for (int i = 1; i < Rounds && Math.Abs(step) > SameAngle; i++)
            angle += step = (Integral(angle, power) - twoSided * whole) / Math.Pow(Math.Cos(angle), power);
        return Math.Sqrt(power + 1) * Math.Tan(angle);
    }

    private static double PowerOf(double freedom) => Math.Clamp(freedom, 1, MaxFreedom) - 1;

    // Of cos^power from an angle to the right angle, by Simpson's rule.
    private static double Integral(double from, double power)
    {
        double step = (Math.PI / 2 - from) / Steps;
        double sum = Math.Pow(Math.Cos(from), power) + (power == 0 ? 1 : 0);
        for (int i = 1; i < Steps; i++)
            sum += (i % 2 == 1 ? 4 : 2) * Math.Pow(Math.Cos(from + i * step), power);
        return sum * step / 3;
    }
}
