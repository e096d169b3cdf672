using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace BigPile.Architecture.Tests;

/// <summary>What CRASH.md and its pages name is there: methods, crash points, and the tests that prove what they say.</summary>
public sealed partial class CrashDocumentTests
{
    private static readonly string[] Tests = ["BigPile.Tests", "BigPile.Caching.Tests", "BigPile.Torture.Tests"];

    [Fact]
    public void Each_method_crash_point_and_test_of_the_pages_exists()
    {
        string[] named = [.. NamesIn(CrashDocuments.Text, Name()).Distinct(StringComparer.Ordinal)];
        using var built = new Built();
        HashSet<string> known = [.. LibraryGraph.Stack.Concat(Tests).SelectMany(project => MembersOf(built.Read(project)))];
        Assert.True(named.Length > 300, $"{named.Length} names were found.");
        string[] missing = [.. named.Where(name => !known.Contains(name))];
        Assert.True(missing.Length == 0, string.Join(", ", missing));
    }

    [Fact]
    public void Each_crash_point_is_on_a_page()
    {
        using var built = new Built();
        TypeDefinition points = built.Read("BigPile").MainModule.GetType("BigPile.Checking.CrashPoint");
        string text = CrashDocuments.Text;
        string[] missing =
        [
            .. points.Fields.Where(static field => field.HasConstant).Select(static field => field.Name)
                .Where(name => name is not ("None" or "End") && !text.Contains($"`CrashPoint.{name}`", StringComparison.Ordinal)),
        ];
        Assert.True(missing.Length == 0, string.Join(", ", missing));
    }

    [Fact]
    public void Each_page_is_listed_once_and_leads_back()
    {
        string[] pages = [.. CrashDocuments.PagePaths.Select(static path => Path.GetFileNameWithoutExtension(path)).Order()];
        Assert.True(pages.Length >= 30, $"{pages.Length} pages were found.");
        Assert.Equal(pages, NamesIn(File.ReadAllText(CrashDocuments.IndexPath), Entry()).Order());
        Assert.All(
            CrashDocuments.PagePaths,
            static path => Assert.Contains("](../CRASH.md)", File.ReadAllText(path), StringComparison.Ordinal));
    }

    [Fact]
    public void Each_page_that_a_comment_names_is_there()
    {
        string[] named =
        [
            .. Sources.Below("src").SelectMany(static file => file.Lines.SelectMany(static line => NamesIn(line, NamedPage()))),
        ];
        Assert.True(named.Length >= 7, $"{named.Length} pages were named.");
        Assert.Empty(named.Except(CrashDocuments.PagePaths.Select(static path => Path.GetFileName(path))));
    }

    /// <summary>In an editor a page is read without being scrolled to the side.</summary>
    [Fact]
    public void A_page_has_at_most_120_lines_of_400_columns() => Assert.All(CrashDocuments.PagePaths, static path =>
    {
        string[] lines = File.ReadAllLines(path);
        Assert.InRange(lines.Length, 1, 120);
        Assert.DoesNotContain(lines, static line => line.Length > 400);
    });

    /// <summary>The comments of the method and the table of the page number the same steps.</summary>
    [Theory]
    [InlineData("Upsert", "private void Attempt()", "table-put.md", "## Put, new key")]
    [InlineData("Delete", "internal void DropLocked(", "table-remove.md", "## Remove")]
    public void Each_step_of_a_change_has_one_number_in_code_and_document(string type, string method, string page, string heading)
    {
        string code = File.ReadAllText(Path.Combine(SourceTree.Root, "src", "BigPile.Caching", "Tables", $"{type}.cs"));
        int start = code.IndexOf(method, StringComparison.Ordinal);
        Assert.True(start >= 0, $"{type}.cs has no {method}");
        string name = method[(method.IndexOf(" void ", StringComparison.Ordinal) + 6)..method.IndexOf('(', StringComparison.Ordinal)];
        int last = code.LastIndexOf($" void {name}(", StringComparison.Ordinal); // its steps may go on in an overload
        int end = code.IndexOf('\n', code.IndexOf("\n    }", last, StringComparison.Ordinal) + 1); // with a comment behind the brace
        string[] steps = NamesIn(string.Join('\n', CrashDocuments.LinesBelow(page, heading)), StepOfTable());
        Assert.NotEmpty(steps);
        Assert.Equal(Enumerable.Range(1, steps.Length).Select(static number => $"{number}"), steps);
        Assert.Equal(steps, NamesIn(code[start..end], StepOfCode()));
    }

    private static string[] NamesIn(string text, Regex pattern) =>
        [.. pattern.Matches(text).Select(static match => match.Groups[1].Value)];

    private static IEnumerable<string> MembersOf(AssemblyDefinition assembly) =>
        from type in assembly.MainModule.GetAllTypes()
        from member in type.Methods.Cast<IMemberDefinition>().Concat(type.Fields)
        select $"{type.Name.Split('`')[0]}.{member.Name}";

    [GeneratedRegex("`([A-Z][A-Za-z]+\\.[A-Z][A-Za-z_0-9]+)`")]
    private static partial Regex Name();

    [GeneratedRegex(@"^\| \[([a-z-]+)\]\(crash/\1\.md\) \| ", RegexOptions.Multiline)]
    private static partial Regex Entry();

    [GeneratedRegex(@"\bcrash/([a-z-]+\.md)")]
    private static partial Regex NamedPage();

    [GeneratedRegex("// (\\d+)\\. ")]
    private static partial Regex StepOfCode();

    [GeneratedRegex(@"^\| (\d+) \| ", RegexOptions.Multiline)]
    private static partial Regex StepOfTable();
}
