using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What SCENARIOS.md says of the tests here.</summary>
public sealed partial class ScenarioPageTests
{
    private const int MostWords = 15;

    private static readonly string[] Page =
        File.ReadAllLines(Path.Combine(SourceTree.Root, "tests/BigPile.Caching.Tests/Factories/SCENARIOS.md"));

    private static readonly Row[] Rows =
    [
        .. Page.Where(static line => line.StartsWith("| `", StringComparison.Ordinal))
            .Select(static line => line.Trim('|').Split('|', StringSplitOptions.TrimEntries))
            .Select(static cells => new Row(cells[0], cells[1], cells[2])),
    ];

    [Fact]
    public void Each_scenario_has_one_row_with_a_verdict()
    {
        Assert.True(Rows.Length >= 50, $"{Rows.Length} rows were found.");
        Assert.Equal(Rows.Length, Rows.Select(static row => row.Scenario).Distinct().Count());
        Assert.All(Rows, static row =>
        {
            Assert.Matches(Verdict(), row.Verdict);
            Assert.InRange(row.Verdict.Split(' ').Length, 1, MostWords + 1);
            Assert.Equal(row.Kind == "absent", row.Test == "—");
        });
    }

    [Fact]
    public void Each_test_that_is_named_exists()
    {
        HashSet<string> tests =
        [
            .. from type in typeof(ScenarioPageTests).Assembly.GetTypes()
               from method in type.GetMethods()
               where method.GetCustomAttribute<FactAttribute>() != null
               select $"`{type.Name}.{method.Name}`",
        ];
        Assert.All(Rows.Where(static row => row.Kind != "absent"), row => Assert.Contains(row.Test, tests));
    }

    [Fact]
    public void The_last_line_counts_the_rows()
    {
        int CountOf(string kind) => Rows.Count(row => row.Kind == kind);
        Assert.Equal($"{CountOf("same")} same, {CountOf("different")} different, {CountOf("absent")} absent.", Page[^1]);
    }

    [GeneratedRegex("^(same|(different|absent): .*[^.])$")]
    private static partial Regex Verdict();

    private sealed record Row(string Scenario, string Test, string Verdict)
    {
        internal string Kind => Verdict.Split(':')[0];
    }
}
