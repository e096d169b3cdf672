using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace BigPile.Architecture.Tests;

/// <summary>The source files as text.</summary>
internal static partial class Sources
{
    /// <summary>The files below some folders, with paths relative to the root and slashes.</summary>
    internal static IEnumerable<(string Path, string[] Lines)> Below(params string[] folders) =>
        from folder in folders
        from path in Directory.EnumerateFiles(Path.Combine(SourceTree.Root, folder), "*.cs", SearchOption.AllDirectories)
        let name = Path.GetRelativePath(SourceTree.Root, path).Replace('\\', '/')
        where !name.Contains("/obj/", StringComparison.Ordinal)
        orderby name
        select (name, File.ReadAllLines(path));

    /// <summary>The namespace that a file declares; none where it has only attributes or statements.</summary>
    internal static string? NamespaceOf(string[] lines) =>
        lines.Select(static line => NamespaceLine().Match(line)).FirstOrDefault(static match => match.Success)?.Groups[1].Value;

    /// <summary>The partial class or structure in a file, with its namespace; none if the file has a whole one.</summary>
    internal static string? PartOf(string[] lines) =>
        lines.Select(static line => PartialLine().Match(line)).FirstOrDefault(static match => match.Success) is { } match
            ? $"{NamespaceOf(lines)}.{match.Groups[1].Value}"
            : null;

    [GeneratedRegex(@"^namespace ([\w.]+)")]
    private static partial Regex NamespaceLine();

    [GeneratedRegex(@"^[a-z ]*\bpartial (?:class|struct|record struct|record) (\w+)")]
    private static partial Regex PartialLine();
}
