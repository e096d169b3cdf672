using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Architecture.Tests;

public sealed class SourceTests
{
    private const int MaxColumns = 140;
    private const int MaxLines = 300;
    private const int MaxLinesOfParts = 520; // without documentation, of which a public class has much

    private static readonly string[] ThirdParty = ["Microsoft.", "OpenTelemetry.", "Aspire."];
    private static readonly string[] Everything = ["src", "tests", "perf"];

    [Fact]
    public void A_namespace_is_its_folder() =>
        KnownExceptions.Compare("namespace", from file in Sources.Below("src")
            let declared = Sources.NamespaceOf(file.Lines)
            // in the namespace where users expect extensions
            where !ThirdParty.Any(part => declared?.StartsWith(part, StringComparison.Ordinal) != false)
                && declared != string.Join('.', file.Path.Split('/')[1..^1])
                && (declared != "BigPile" || file.Path.Split('/').Length > 3) // in the namespace of types used everywhere
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
    public void The_parts_of_a_class_are_at_most_520_lines_together() =>
        KnownExceptions.Compare("large class", from file in Sources.Below("src")
            let whole = Sources.PartOf(file.Lines)
            where whole != null
            group file.Lines.Count(static line => !line.TrimStart().StartsWith("///", StringComparison.Ordinal)) by whole into parts
            where parts.Sum() > MaxLinesOfParts
            select parts.Key);

    // A test that waits without a timeout blocks every run and names no test.
    [Fact]
    public void A_test_that_waits_for_others_has_an_end() =>
        KnownExceptions.Compare("endless wait", from file in Sources.Below("tests")
            where !file.Path.EndsWith("/Eventually.cs", StringComparison.Ordinal)
            from line in Enumerable.Range(1, file.Lines.Length - 1)
            where (file.Lines[line].Contains("await Task.Yield();", StringComparison.Ordinal)
                    && file.Lines[line - 1].TrimStart().StartsWith("while (", StringComparison.Ordinal))
                || file.Lines[line].TrimStart().StartsWith("SpinWait.SpinUntil(", StringComparison.Ordinal)
            select $"{file.Path}({line + 1})");

    // A pool task may start only after the work that it should run concurrently with: SideBySide has its own threads.
    [Fact]
    public void A_test_leaves_to_the_pool_only_what_is_asynchronous() =>
        KnownExceptions.Compare("task of the pool", from line in LinesOfTests()
            where line.Text.Contains("Task.Run(", StringComparison.Ordinal)
                && !line.Text.Contains("Task.Run(async ", StringComparison.Ordinal)
            select line.Place);

    // On a slow machine an event may need more than a fixed time. Checking that something does not happen is allowed, and so is a pause
    // between two polls that a token ends.
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
