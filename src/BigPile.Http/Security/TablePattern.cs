using System;
using System.IO.Enumeration;
using BigPile.Http.Protocol;

namespace BigPile.Http.Security;

/// <summary>Table names in which <c>*</c> matches any characters.</summary>
internal static class TablePattern
{
    /// <summary>The pattern of all tables.</summary>
    internal const string All = "*";

    internal static bool IsValid(string pattern) => pattern == All || TableName.IsValid(pattern.Replace('*', 'x'));

    internal static bool Matches(string pattern, ReadOnlySpan<char> table) =>
        FileSystemName.MatchesSimpleExpression(pattern, table, ignoreCase: false);
}
