using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>Known violations of the rules, from exceptions.txt: a rule, a colon, the violation. The list may only get shorter.</summary>
internal static class KnownExceptions
{
    private static readonly HashSet<string> Lines =
        [.. File.ReadLines(
            Path.Combine(AppContext.BaseDirectory, "exceptions.txt")).Where(static line => line.Length > 0 && line[0] != '#')];

    /// <summary>Fails on a violation that is not listed, and on a listed one that is gone.</summary>
    internal static void Compare(string rule, IEnumerable<string> broken)
    {
        var found = broken.Select(what => $"{rule}: {what}").ToHashSet(StringComparer.Ordinal);
        var known = Lines.Where(line => line.StartsWith(rule + ":", StringComparison.Ordinal)).ToHashSet(StringComparer.Ordinal);
        string[] wrong =
        [
            .. found.Except(known).Order(StringComparer.Ordinal),
            .. known.Except(found).Order(StringComparer.Ordinal).Select(static line => "to be taken off the list, it is mended: " + line),
        ];
        Assert.True(wrong.Length == 0, string.Join('\n', wrong));
    }
}
