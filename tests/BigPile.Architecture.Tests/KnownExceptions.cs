using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>
/// What the rules do not hold for yet, as exceptions.txt lists it: a rule, a colon, what breaks it. The list may only get shorter.
/// </summary>
internal static class KnownExceptions
{
    private static readonly HashSet<string> Lines =
        [.. File.ReadLines(
            Path.Combine(AppContext.BaseDirectory, "exceptions.txt")).Where(static line => line.Length > 0 && line[0] != '#')];

    /// <summary>Fails when something breaks a rule that is not listed, and when something is listed that no longer does.</summary>
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
