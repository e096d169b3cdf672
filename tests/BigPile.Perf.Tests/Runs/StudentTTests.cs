using BigPile.Perf.Runs.Comparison;

namespace BigPile.Perf.Tests.Runs;

public sealed class StudentTTests
{
    // From printed tables of the distribution.
    [Theory]
    [InlineData(12.706, 1, 0.05)]
    [InlineData(4.303, 2, 0.05)]
    [InlineData(2.776, 4, 0.05)]
    [InlineData(2.228, 10, 0.05)]
    [InlineData(3.169, 10, 0.01)]
    [InlineData(4.587, 10, 0.001)]
    [InlineData(2.042, 30, 0.05)]
    [InlineData(3.373, 120, 0.001)]
    public void It_has_the_values_of_printed_tables(double t, double freedom, double probability)
    {
        Assert.Equal(1, StudentT.TwoSided(t, freedom) / probability, 0.003);
        Assert.Equal(t, StudentT.Quantile(probability, freedom), 0.001 * t);
    }

    [Theory]
    [InlineData(1.5, 1)]
    [InlineData(7.25, 3.5)]
    [InlineData(4, 1e9)]
    public void The_quantile_of_a_probability_is_where_it_came_from(double t, double freedom) =>
        Assert.Equal(t, StudentT.Quantile(StudentT.TwoSided(-t, freedom), freedom), 1e-6);
}
