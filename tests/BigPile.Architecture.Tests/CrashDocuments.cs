using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>CRASH.md and its pages, one for each operation.</summary>
internal static class CrashDocuments
{
    private static readonly string Folder = Path.Combine(SourceTree.Root, "src", "BigPile", "Durability");

    /// <summary>The entry page.</summary>
    internal static string IndexPath => Path.Combine(Folder, "CRASH.md");

    /// <summary>The paths of the pages.</summary>
    internal static IEnumerable<string> PagePaths => Directory.EnumerateFiles(Path.Combine(Folder, "crash"), "*.md").Order();

    /// <summary>The text of the entry page and of all pages.</summary>
    internal static string Text => string.Join('\n', PagePaths.Prepend(IndexPath).Select(File.ReadAllText));

    /// <summary>The lines of a page below one heading.</summary>
    internal static IEnumerable<string> LinesBelow(string page, string heading) =>
        File.ReadLines(Path.Combine(Folder, "crash", page))
            .SkipWhile(line => line != heading).Skip(1).TakeWhile(static line => !line.StartsWith('#'));
}
