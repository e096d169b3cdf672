using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Tests;

public class DependencyTextTests
{
    [Theory]
    [InlineData("libx11-6", "libx11-6", null, "None", null)]
    [InlineData(" libx11-6 ", "libx11-6", null, "None", null)]
    [InlineData("libstdc++6 (>= 12)", "libstdc++6", null, "AtLeast", "12")]
    [InlineData("0ad-data (<= 0.0.26-3)", "0ad-data", null, "AtMost", "0.0.26-3")]
    [InlineData("a:any", "a", "any", "None", null)]
    [InlineData("python3:any (>= 3.9~)", "python3", "any", "AtLeast", "3.9~")]
    [InlineData("a (<< 2:3.0~rc1-1)", "a", null, "Earlier", "2:3.0~rc1-1")]
    [InlineData("a (= 1.0+dfsg-1)", "a", null, "Exactly", "1.0+dfsg-1")]
    [InlineData("a (>> 1)", "a", null, "Later", "1")]
    [InlineData("a(>=1)", "a", null, "AtLeast", "1")]
    [InlineData("a ( >= 1 )", "a", null, "AtLeast", "1")]
    public void One_package_is_read(string text, string name, string? architecture, string @operator, string? version)
    {
        Assert.True(DependencyText.TryParse(text, out DependencyTerm[]? terms));
        DependencyTerm term = Assert.Single(terms);
        Assert.Equal((name, architecture, @operator, version), (term.Name, term.Architecture, term.Operator.ToString(), term.Version));
    }

    [Fact]
    public void Alternatives_are_read_in_their_order()
    {
        Assert.True(DependencyText.TryParse("a | b", out DependencyTerm[]? terms));
        Assert.Equal([new("a", null, VersionOperator.None, null), new("b", null, VersionOperator.None, null)], terms);
    }

    [Fact]
    public void Each_alternative_has_a_condition_of_its_own()
    {
        Assert.True(DependencyText.TryParse("a (>= 1) | b|c:any (<< 2)", out DependencyTerm[]? terms));
        DependencyTerm[] expected =
        [
            new("a", null, VersionOperator.AtLeast, "1"),
            new("b", null, VersionOperator.None, null),
            new("c", "any", VersionOperator.Earlier, "2"),
        ];
        Assert.Equal(expected, terms);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("a |")]
    [InlineData("| a")]
    [InlineData("a || b")]
    [InlineData("a b")]
    [InlineData("-a")]
    [InlineData("a:")]
    [InlineData("a (1)")]
    [InlineData("a (>= )")]
    [InlineData("a (>= 1")]
    [InlineData("a >= 1")]
    [InlineData("a (> 1)")]
    [InlineData("a (== 1)")]
    [InlineData("a (>= 1) x")]
    [InlineData("a (>= 1) (<< 2)")]
    [InlineData("a (>= 1 2)")]
    [InlineData("a, b")]
    [InlineData("a\n")]
    public void Anything_else_is_refused(string? text)
    {
        Assert.False(DependencyText.TryParse(text, out DependencyTerm[]? terms));
        Assert.Null(terms);
    }
}
