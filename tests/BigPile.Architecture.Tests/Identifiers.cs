using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace BigPile.Architecture.Tests;

/// <summary>The names that source files declare.</summary>
internal static partial class Identifiers
{
    private static readonly CSharpParseOptions Options = new(LanguageVersion.Preview);

    /// <summary>
    /// The names that a text of C# declares: of namespaces, types, members, parameters and locals. What it only uses is not among them.
    /// </summary>
    internal static IEnumerable<string> DeclaredIn(string text) =>
        from token in CSharpSyntaxTree.ParseText(text, Options).GetRoot().DescendantTokens()
        where token.IsKind(SyntaxKind.IdentifierToken) && (token.Parent is not NameSyntax name || IsOfNamespace(name))
        select token.ValueText;

    /// <summary>The words of a name in Pascal or camel case, in small letters.</summary>
    internal static IEnumerable<string> WordsOf(string identifier) =>
        Word().Matches(identifier).Select(static match => match.Value.ToLowerInvariant());

    private static bool IsOfNamespace(NameSyntax name) =>
        name.AncestorsAndSelf().OfType<NameSyntax>().Last().Parent is BaseNamespaceDeclarationSyntax;

    [GeneratedRegex("[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")]
    private static partial Regex Word();
}
