using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Architecture.Tests;

public sealed class SourceTests
{
    private const int MaxColumns = 140;
    private const int MaxLines = 300;
    private const int MaxLinesOfParts = 600;

    private static readonly string[] ThirdParty = ["Microsoft.", "OpenTelemetry.", "Aspire."];
    private static readonly string[] Everything = ["src", "tests", "perf"];

    [Fact]
    public void A_namespace_is_its_folder() =>
        KnownExceptions.Compare("namespace", from file in Sources.Below("src")
            let declared = Sources.NamespaceOf(file.Lines)
            where !ThirdParty.Any(part => declared?.StartsWith(part, StringComparison.Ordinal) != false) // where users look for extensions
                && declared != string.Join('.', file.Path.Split('/')[1..^1])
                && (declared != "BigPile" || file.Path.Split('/').Length > 3) // where users look for what they meet everywhere
            select file.Path);

    [Fact]
    public void A_line_is_at_most_140_columns() =>
        KnownExceptions.Compare("long lines", from file in Sources.Below(Everything)
            let count = file.Lines.Count(static line => line.Length > MaxColumns)
            where count > 0
            select $"{file.Path} has {count}");

    [Fact]
    public void A_file_is_at_most_300_lines() =>
        KnownExceptions.Compare("long file", from file in Sources.Below(Everything)
            where file.Lines.Length > MaxLines
            select file.Path);

    [Fact]
    public void The_parts_of_a_class_are_at_most_600_lines_together() =>
        KnownExceptions.Compare("large class", from file in Sources.Below("src")
            let whole = Sources.PartOf(file.Lines)
            where whole != null
            group file.Lines.Length by whole into parts
            where parts.Sum() > MaxLinesOfParts
            select parts.Key);

    // A test that waits without an end holds up every run behind it, and names nobody.
    [Fact]
    public void A_test_that_waits_for_others_has_an_end() =>
        KnownExceptions.Compare("endless wait", from file in Sources.Below("tests")
            where !file.Path.EndsWith("/Eventually.cs", StringComparison.Ordinal)
            from line in Enumerable.Range(1, file.Lines.Length - 1)
            where (file.Lines[line].Contains("await Task.Yield();", StringComparison.Ordinal)
                    && file.Lines[line - 1].TrimStart().StartsWith("while (", StringComparison.Ordinal))
                || file.Lines[line].TrimStart().StartsWith("SpinWait.SpinUntil(", StringComparison.Ordinal)
            select $"{file.Path}({line + 1})");

    // A task of the pool may begin when that has ended beside which it was to run: SideBySide has threads of their own.
    [Fact]
    public void A_test_leaves_to_the_pool_only_what_is_asynchronous() =>
        KnownExceptions.Compare("task of the pool", from line in LinesOfTests()
            where line.Text.Contains("Task.Run(", StringComparison.Ordinal)
                && !line.Text.Contains("Task.Run(async ", StringComparison.Ordinal)
            select line.Place);

    // What has not happened after a fixed time on a slow machine has not failed. To look whether something does not happen is no such wait,
    // and neither is a pause between two looks, which a token ends.
    [Fact]
    public void A_test_does_not_take_a_fixed_time_for_something_having_happened() =>
        KnownExceptions.Compare("fixed delay", from line in LinesOfTests()
            where line.Text.Contains("Thread.Sleep(", StringComparison.Ordinal)
                || line.Text.TrimStart().StartsWith("await Task.Delay(", StringComparison.Ordinal)
            where !line.Text.EndsWith(".Token);", StringComparison.Ordinal)
                && !line.Text.Contains("Timeout.InfiniteTimeSpan", StringComparison.Ordinal)
            select line.Place);

    private static IEnumerable<(string Place, string Text)> LinesOfTests() =>
        from file in Sources.Below("tests")
        where !file.Path.EndsWith("/SourceTests.cs", StringComparison.Ordinal)
        from number in Enumerable.Range(0, file.Lines.Length)
        select ($"{file.Path}({number + 1})", file.Lines[number]);
}
