using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace BigPile.Architecture.Tests;

/// <summary>What CRASH.md names is there: methods, kill windows, and the tests that prove a row.</summary>
public sealed partial class CrashDocumentTests
{
    private static readonly string[] Tests = ["BigPile.Tests", "BigPile.Caching.Tests", "BigPile.Torture.Tests"];

    private static string Document => File.ReadAllText(Path.Combine(SourceTree.Root, "src", "BigPile", "Durability", "CRASH.md"));

    [Fact]
    public void Each_method_window_and_test_of_the_document_exists()
    {
        string[] named = [.. Name().Matches(Document).Select(static match => match.Groups[1].Value).Distinct(StringComparer.Ordinal)];
        using var built = new Built();
        HashSet<string> known = [.. LibraryGraph.Stack.Concat(Tests).SelectMany(project => MembersOf(built.Read(project)))];
        Assert.True(named.Length > 100, $"{named.Length} names were found.");
        string[] missing = [.. named.Where(name => !known.Contains(name))];
        Assert.True(missing.Length == 0, string.Join(", ", missing));
    }

    /// <summary>The comments of the method and the row of the document number the same steps.</summary>
    [Theory]
    [InlineData("Upsert", "private void Attempt()", "put, new key")]
    [InlineData("Delete", "internal void DropLocked(", "remove")]
    public void Each_step_of_a_change_has_one_number_in_code_and_document(string type, string method, string operation)
    {
        string code = File.ReadAllText(Path.Combine(SourceTree.Root, "src", "BigPile.Caching", "Tables", $"{type}.cs"));
        int start = code.IndexOf(method, StringComparison.Ordinal);
        Assert.True(start >= 0, $"{type}.cs has no {method}");
        int end = code.IndexOf('\n', code.IndexOf("\n    }", start, StringComparison.Ordinal) + 1); // with a comment behind the brace
        string row = Assert.Single(Document.Split('\n'), line => line.StartsWith($"| {operation} | ", StringComparison.Ordinal));
        string[] steps = NumbersIn(row.Split(" | ")[1], StepOfRow());
        Assert.Equal(Enumerable.Range(1, steps.Length).Select(static number => $"{number}"), steps);
        Assert.Equal(steps, NumbersIn(code[start..end], StepOfCode()));
    }

    private static string[] NumbersIn(string text, Regex step) =>
        [.. step.Matches(text).Select(static match => match.Groups[1].Value)];

    private static IEnumerable<string> MembersOf(AssemblyDefinition assembly) =>
        from type in assembly.MainModule.GetAllTypes()
        from member in type.Methods.Cast<IMemberDefinition>().Concat(type.Fields)
        select $"{type.Name.Split('`')[0]}.{member.Name}";

    [GeneratedRegex("`([A-Z][A-Za-z]+\\.[A-Z][A-Za-z_0-9]+)`")]
    private static partial Regex Name();

    [GeneratedRegex("// (\\d+)\\. ")]
    private static partial Regex StepOfCode();

    [GeneratedRegex("(?<![\\w`])(\\d+)\\. ")]
    private static partial Regex StepOfRow();
}
