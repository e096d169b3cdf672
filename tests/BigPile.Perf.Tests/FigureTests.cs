using BigPile.Perf.Reports;

namespace BigPile.Perf.Tests;

public sealed class FigureTests
{
    [Theory]
    [InlineData(0.98765, 2, 0.99)]
    [InlineData(1234.5, 0, 1234)]
    [InlineData(0.0004, 3, 0.0004)]
    [InlineData(-0.0004, 3, -0.0004)]
    [InlineData(0, 3, 0)]
    public void Only_what_was_measured_as_0_is_rounded_to_it(double figure, int decimals, double rounded) =>
        Assert.Equal(rounded, Figure.Rounded(figure, decimals));

    [Theory]
    [InlineData(1000, 2, 500)]
    [InlineData(1, 200, 0.005)]
    [InlineData(5, 0, 5e9)]
    [InlineData(0, 1, 0)]
    public void A_rate_is_finite_and_0_only_where_nothing_was_done(long operations, double seconds, double perSecond) =>
        Assert.Equal(perSecond, Figure.PerSecond(operations, seconds), precision: 9);
}
