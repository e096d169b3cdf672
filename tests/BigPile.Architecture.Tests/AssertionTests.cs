using System;
using System.Linq;
using System.Text.RegularExpressions;

namespace BigPile.Architecture.Tests;

/// <summary>Libraries that share memory or store bytes assert what their lines rely on.</summary>
public sealed partial class AssertionTests
{
    [Theory]
    [InlineData("BigPile", 24)]
    [InlineData("BigPile.Caching", 9)]
    [InlineData("BigPile.Codec", 15)]
    [InlineData("BigPile.Files", 15)]
    [InlineData("BigPile.Hash", 15)]
    [InlineData("BigPile.Ports", 15)]
    public void There_are_as_many_assertions_for_a_thousand_lines_of_code(string project, int least)
    {
        string[] code =
        [
            .. Sources.Below($"src/{project}").SelectMany(static file => file.Lines)
                .Where(static line => line.Trim() is { Length: > 0 } text && !text.StartsWith("//", StringComparison.Ordinal)),
        ];
        int assertions = code.Count(static line => Assertion().IsMatch(line));
        Assert.True(assertions * 1000 >= code.Length * least, $"{assertions} assertions in {code.Length} lines.");
    }

    [GeneratedRegex(@"\bDebug\.Assert\(|\bInvariant\.(Equal|True|False|Between|Require)\(")]
    private static partial Regex Assertion();
}
