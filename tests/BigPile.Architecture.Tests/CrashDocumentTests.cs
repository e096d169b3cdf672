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

    [Fact]
    public void Each_method_window_and_test_of_the_document_exists()
    {
        string text = File.ReadAllText(Path.Combine(SourceTree.Root, "src", "BigPile", "Durability", "CRASH.md"));
        string[] named = [.. Name().Matches(text).Select(static match => match.Groups[1].Value).Distinct(StringComparer.Ordinal)];
        using var built = new Built();
        HashSet<string> known = [.. LibraryGraph.Stack.Concat(Tests).SelectMany(project => MembersOf(built.Read(project)))];
        Assert.True(named.Length > 100, $"{named.Length} names were found.");
        string[] missing = [.. named.Where(name => !known.Contains(name))];
        Assert.True(missing.Length == 0, string.Join(", ", missing));
    }

    private static IEnumerable<string> MembersOf(AssemblyDefinition assembly) =>
        from type in assembly.MainModule.GetAllTypes()
        from member in type.Methods.Cast<IMemberDefinition>().Concat(type.Fields)
        select $"{type.Name.Split('`')[0]}.{member.Name}";

    [GeneratedRegex("`([A-Z][A-Za-z]+\\.[A-Z][A-Za-z_0-9]+)`")]
    private static partial Regex Name();
}
