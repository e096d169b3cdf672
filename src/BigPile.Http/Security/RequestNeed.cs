using System;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Security;

/// <summary>The scope that a request needs, for one table or for all.</summary>
/// <remarks>
/// Entries are recognized by the raw target, which serves them; all else by the decoded path, which routes it. An unknown request needs
/// more, not less: a read needs all tables, a change needs <see cref="KeyScopes.Admin"/>.
/// </remarks>
internal readonly ref struct RequestNeed
{
    private const string Tables = "/v1/tables";
    private const string Access = "/v1/access";

    private static readonly string[] ReadVerbs = [":mget", ":export", "/keys"];
    private static readonly string[] WriteVerbs = [":mset", ":mdelete", ":evict", ":load"];
    private static readonly string[] AdminPaths = ["/v1/admin", "/v1/operations"];

    private RequestNeed(KeyScopes scope, ReadOnlySpan<char> table)
    {
        Scope = scope;
        Table = table;
        NeedsKey = true;
    }

    internal bool NeedsKey { get; }

    /// <summary>The scope; <see cref="KeyScopes.None"/> if any key will do, or none is needed.</summary>
    internal KeyScopes Scope { get; }

    /// <summary>Whether a key for only some tables suffices: the answer covers those alone.</summary>
    internal bool IsForSome { get; private init; }

    /// <summary>The table; empty for all of them.</summary>
    internal ReadOnlySpan<char> Table { get; }

    /// <summary>Determines what a request needs.</summary>
    /// <param name="method">The method.</param>
    /// <param name="rawTarget">The raw target.</param>
    /// <param name="path">The decoded path.</param>
    /// <param name="openPath">A further path that needs no key to read.</param>
    /// <param name="buffer">A buffer of <see cref="TableName.MaxLength"/> characters.</param>
    internal static RequestNeed Of(string method, string rawTarget, PathString path, string? openPath, Span<char> buffer)
    {
        bool isRead = HttpMethods.IsGet(method) || HttpMethods.IsHead(method);
        if (EntryTarget.TryParse(rawTarget, out EntryTarget target))
        {
            KeyScopes scope = isRead ? KeyScopes.Read : KeyScopes.Write;
            return new RequestNeed(scope, TableName.TryDecode(target.Table, buffer, out ReadOnlySpan<char> name) ? name : default);
        }
        string text = path.Value ?? "";
        if (isRead && (IsOpen(text) || text.Equals(openPath, StringComparison.OrdinalIgnoreCase)))
            return default;
        foreach (string admin in AdminPaths)
        {
            if (text.StartsWith(admin, StringComparison.OrdinalIgnoreCase))
                return new RequestNeed(KeyScopes.Admin, default);
        }
        if (isRead && text.Equals(Access, StringComparison.OrdinalIgnoreCase))
            return new RequestNeed(KeyScopes.None, default) { IsForSome = true };
        if (isRead && text.Equals(Tables, StringComparison.OrdinalIgnoreCase))
            return new RequestNeed(KeyScopes.Read, default) { IsForSome = true };
        return text.StartsWith(Tables + "/", StringComparison.OrdinalIgnoreCase)
            ? OfTable(text.AsSpan(Tables.Length + 1), isRead, IsFolded(rawTarget))
            : new RequestNeed(isRead ? KeyScopes.Read : KeyScopes.Admin, default);
    }

    private static RequestNeed OfTable(ReadOnlySpan<char> rest, bool isRead, bool isFolded)
    {
        int end = rest.IndexOfAny(':', '/');
        ReadOnlySpan<char> name = end < 0 ? rest : rest[..end];
        ReadOnlySpan<char> verb = end < 0 ? default : rest[end..];
        KeyScopes scope = ScopeOf(verb, isRead);
        return new RequestNeed(scope, isFolded || !TableName.IsValid(name) ? default : name);
    }

    private static KeyScopes ScopeOf(ReadOnlySpan<char> verb, bool isRead)
    {
        if (isRead || IsOneOf(ReadVerbs, verb))
            return KeyScopes.Read;
        return IsOneOf(WriteVerbs, verb) ? KeyScopes.Write : KeyScopes.Admin;
    }

    private static bool IsOneOf(string[] verbs, ReadOnlySpan<char> verb)
    {
        verb = verb.TrimEnd('/'); // routing ignores it
        foreach (string one in verbs)
        {
            if (verb.Equals(one, StringComparison.OrdinalIgnoreCase))
                return true;
        }
        return false;
    }

    // The console's files contain no data; the console requests data with the key that its user enters.
    private static bool IsOpen(string path) =>
        path is "/" || path.StartsWith("/health/", StringComparison.OrdinalIgnoreCase)
        || path.StartsWith("/console/", StringComparison.OrdinalIgnoreCase);

    // With dot segments, the raw target and the decoded path may name different tables.
    private static bool IsFolded(string rawTarget) =>
        rawTarget.Contains("/.", StringComparison.Ordinal) || rawTarget.Contains("%2E", StringComparison.OrdinalIgnoreCase)
        || rawTarget.Contains("%2F", StringComparison.OrdinalIgnoreCase);
}
