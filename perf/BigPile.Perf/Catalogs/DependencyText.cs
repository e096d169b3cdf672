using System;
using System.Diagnostics.CodeAnalysis;
using System.Text.RegularExpressions;

namespace BigPile.Perf.Catalogs;

/// <summary>Reads a dependency: <c>name[:architecture] [(operator version)] [| another …]</c>.</summary>
internal static partial class DependencyText
{
    /// <summary>Reads all alternatives, in their order.</summary>
    /// <returns><see langword="false"/> only if the text is no dependency.</returns>
    internal static bool TryParse(string? text, [NotNullWhen(true)] out DependencyTerm[]? terms)
    {
        string[] parts = text?.Split('|') ?? [];
        var read = new DependencyTerm[parts.Length];
        terms = null;
        for (int i = 0; i < parts.Length; i++)
        {
            Match match = TermPattern().Match(parts[i]);
            if (!match.Success)
                return false;
            read[i] = MakeTerm(match.Groups);
        }
        terms = parts.Length == 0 ? null : read;
        return terms != null;
    }

    private static DependencyTerm MakeTerm(GroupCollection groups) =>
        new(groups["name"].Value, TextOf(groups["architecture"]), OperatorOf(groups["operator"].Value), TextOf(groups["version"]));

    private static string? TextOf(Group group) => group.Success ? group.Value : null;

    private static VersionOperator OperatorOf(string text) => text switch
    {
        "<<" => VersionOperator.Earlier,
        "<=" => VersionOperator.AtMost,
        "=" => VersionOperator.Exactly,
        ">=" => VersionOperator.AtLeast,
        ">>" => VersionOperator.Later,
        "" => VersionOperator.None,
        _ => throw new ArgumentOutOfRangeException(nameof(text), text, "The pattern lets no such operator through."),
    };

    // Names and versions as Debian's policy manual has them, sections 5.6.1 and 5.6.12; upper case is let through too.
    [GeneratedRegex(
        """
        \A [ ]*
        (?<name> [A-Za-z0-9] [A-Za-z0-9+.-]* )
        ( : (?<architecture> [A-Za-z0-9] [A-Za-z0-9-]* ) )? [ ]*
        ( \( [ ]* (?<operator> << | <= | = | >= | >> ) [ ]* (?<version> [A-Za-z0-9] [A-Za-z0-9.+:~-]* ) [ ]* \) )? [ ]*
        \z
        """,
        RegexOptions.CultureInvariant | RegexOptions.ExplicitCapture | RegexOptions.IgnorePatternWhitespace)]
    private static partial Regex TermPattern();
}

/// <summary>One alternative of a dependency: a package by its name, and which of its versions will do.</summary>
/// <param name="Name">The package's name.</param>
/// <param name="Architecture">The qualifier behind the name, such as <c>any</c>.</param>
/// <param name="Operator">How versions compare.</param>
/// <param name="Version">The version to compare with; <see langword="null"/> when any will do.</param>
internal sealed record DependencyTerm(string Name, string? Architecture, VersionOperator Operator, string? Version);

/// <summary>How a dependency compares versions.</summary>
internal enum VersionOperator : byte
{
    None, // any version will do
    Earlier, // <<
    AtMost, // <=
    Exactly, // =
    AtLeast, // >=
    Later, // >>
}
