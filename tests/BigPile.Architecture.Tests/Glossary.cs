using System;
using System.Collections.Immutable;
using System.IO;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>The glossary of src/README.md: the words of the house, and the ones that they took the place of.</summary>
internal static class Glossary
{
    private const string Heading = "## The words";

    /// <summary>Each row of the glossary's tables.</summary>
    internal static ImmutableArray<GlossaryWord> Words { get; } =
    [
        .. File.ReadLines(Path.Combine(SourceTree.Root, "src", "README.md"))
            .SkipWhile(static line => line != Heading).Skip(1)
            .TakeWhile(static line => !line.StartsWith("## ", StringComparison.Ordinal))
            .Where(static line => line.StartsWith("| ", StringComparison.Ordinal))
            .Select(static line => line.Trim('|').Split('|', StringSplitOptions.TrimEntries))
            .Where(static cells => cells[0] != "Word" && cells[0].Trim('-').Length > 0)
            .Select(static cells => new GlossaryWord(cells[0], cells[1], cells[2], TermsOf(cells[3]))),
    ];

    /// <summary>The terms that no identifier has any more, each as its words in small letters.</summary>
    internal static ImmutableArray<string[]> OldTerms { get; } =
        [.. Words.SelectMany(static word => word.OldTerms).Select(static term => term.Split(' '))];

    private static ImmutableArray<string> TermsOf(string cell) =>
        [.. cell.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)];

    /// <summary>The old term that an identifier has among its words, if it has one.</summary>
    internal static string? OldTermIn(string identifier)
    {
        string[] words = [.. Identifiers.WordsOf(identifier)];
        return OldTerms.Where(term => IsIn(term, words)).Select(static term => string.Join(' ', term)).FirstOrDefault();
    }

    // A term stands in the identifier as whole words in a row, the last of which may be inflected: note, notes, noted, noting.
    private static bool IsIn(string[] term, string[] words) =>
        Enumerable.Range(0, Math.Max(0, words.Length - term.Length + 1)).Any(start =>
            term.SkipLast(1).SequenceEqual(words.Skip(start).Take(term.Length - 1))
            && IsFormOf(term[^1], words[start + term.Length - 1]));

    private static bool IsFormOf(string term, string word)
    {
        string stem = term.TrimEnd('e');
        return word == term || (word.StartsWith(stem, StringComparison.Ordinal) && word[stem.Length..] is "s" or "es" or "ed" or "ing");
    }
}
