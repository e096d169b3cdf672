using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace BigPile.Architecture.Tests;

/// <summary>Documents lead to files, headings and tests that are there.</summary>
public sealed partial class DocumentLinkTests
{
    private static readonly string[] Folders = [".github", "deploy", "perf", "src", "tests"];

    [Fact]
    public void Each_relative_link_leads_to_a_file_and_a_heading()
    {
        string[] documents = [.. Documents()];
        (string Document, string Target)[] links =
        [
            .. from document in documents
               from link in Link().Matches(WithoutCode(File.ReadAllText(document)))
               let target = link.Groups[1].Value
               where !target.Contains(':', StringComparison.Ordinal)
               select (document, target),
        ];
        Assert.True(documents.Length >= 55 && links.Length >= 350, $"{documents.Length} documents with {links.Length} links were found.");
        string[] dead =
        [
            .. from link in links
               where !LeadsSomewhere(link.Document, link.Target)
               select $"{Path.GetRelativePath(SourceTree.Root, link.Document)}: {link.Target}",
        ];
        Assert.True(dead.Length == 0, string.Join('\n', dead));
    }

    [Fact]
    public void Each_test_that_a_document_names_is_there()
    {
        ILookup<string, string> sources = Directory
            .EnumerateFiles(Path.Combine(SourceTree.Root, "tests"), "*.cs", SearchOption.AllDirectories)
            .ToLookup(static path => Path.GetFileName(path).Split('.')[0]);
        (string Document, string Class, string Method)[] named =
        [
            .. from document in Documents()
               from test in Test().Matches(File.ReadAllText(document))
               select (document, test.Groups[1].Value, test.Groups[2].Value),
        ];
        Assert.True(named.Length >= 150, $"{named.Length} tests were named.");
        string[] missing =
        [
            .. from test in named
               where !sources[test.Class].Any(source => File.ReadAllText(source).Contains(test.Method, StringComparison.Ordinal))
               select $"{Path.GetRelativePath(SourceTree.Root, test.Document)}: {test.Class}.{test.Method}",
        ];
        Assert.True(missing.Length == 0, string.Join('\n', missing));
    }

    [Theory]
    [InlineData("CRASH.md", "crash/put.md#put-of-many", true)]
    [InlineData("CRASH.md", "crash/put.md#put-of-few", false)]
    [InlineData("CRASH.md", "crash/putt.md", false)]
    public void A_dead_link_is_found(string document, string target, bool isAlive) =>
        Assert.Equal(isAlive, LeadsSomewhere(Path.Combine(Path.GetDirectoryName(CrashDocuments.IndexPath)!, document), target));

    private static IEnumerable<string> Documents() =>
        Directory.EnumerateFiles(SourceTree.Root, "*.md").Concat(Folders.SelectMany(static folder =>
            Directory.EnumerateFiles(Path.Combine(SourceTree.Root, folder), "*.md", SearchOption.AllDirectories)));

    private static bool LeadsSomewhere(string document, string target)
    {
        string[] parts = target.Split('#');
        string path = parts[0].Length == 0
            ? document
            : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(document)!, Uri.UnescapeDataString(parts[0])));
        return Path.Exists(path) && (parts.Length == 1 || Path.GetExtension(path) != ".md" || AnchorsOf(path).Contains(parts[1]));
    }

    // As GitHub makes them of headings.
    private static IEnumerable<string> AnchorsOf(string document) =>
        from heading in Heading().Matches(CodeBlock().Replace(File.ReadAllText(document), ""))
        let text = LinkText().Replace(heading.Groups[1].Value.Trim(), "$1").ToLowerInvariant()
        select string.Concat(text.Where(static letter => char.IsLetterOrDigit(letter) || letter is ' ' or '-' or '_')).Replace(' ', '-');

    private static string WithoutCode(string text) => Code().Replace(CodeBlock().Replace(text, ""), "");

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("`([A-Z][A-Za-z0-9]+(?:Tests|Contract))(?:\\.([A-Za-z_0-9]+))?`")]
    private static partial Regex Test();

    [GeneratedRegex(@"\[([^]]*)\]\([^)]*\)")]
    private static partial Regex LinkText();

    [GeneratedRegex("^#+ (.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex CodeBlock();

    [GeneratedRegex("`[^`\n]*`")]
    private static partial Regex Code();
}
