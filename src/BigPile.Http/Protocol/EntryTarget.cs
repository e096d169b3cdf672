using System;

namespace BigPile.Http.Protocol;

/// <summary>The parts of a request target for an entry: <c>/v1/tables/{table}/entries/{key}</c>.</summary>
/// <remarks>Parsed from the raw target: the server's decoded path no longer distinguishes all keys.</remarks>
internal readonly ref struct EntryTarget
{
    internal const string Prefix = "/v1/tables/";
    internal const string Infix = "/entries/";

    private EntryTarget(ReadOnlySpan<char> table, ReadOnlySpan<char> key, ReadOnlySpan<char> query)
    {
        Table = table;
        Key = key;
        Query = query;
    }

    /// <summary>The table's name, still encoded.</summary>
    internal ReadOnlySpan<char> Table { get; }

    /// <summary>The key, still encoded.</summary>
    internal ReadOnlySpan<char> Key { get; }

    /// <summary>The query without its question mark, still encoded.</summary>
    internal ReadOnlySpan<char> Query { get; }

    /// <summary>Splits a target.</summary>
    /// <returns><see langword="false"/> if it names no entry.</returns>
    internal static bool TryParse(string rawTarget, out EntryTarget target)
    {
        target = default;
        ReadOnlySpan<char> path = PathOf(rawTarget);
        if (!path.StartsWith(Prefix, StringComparison.Ordinal))
            return false;
        path = path[Prefix.Length..];
        int mark = path.IndexOf('?');
        ReadOnlySpan<char> query = mark < 0 ? default : path[(mark + 1)..];
        if (mark >= 0)
            path = path[..mark];
        int slash = path.IndexOf('/');
        if (slash < 0 || !path[slash..].StartsWith(Infix, StringComparison.Ordinal))
            return false;
        target = new EntryTarget(path[..slash], path[(slash + Infix.Length)..], query);
        return true;
    }

    /// <summary>The canonical path of an entry.</summary>
    internal static string PathOf(string table, string key) => $"{Prefix}{table}{Infix}{Uri.EscapeDataString(key)}";

    // A proxy may send the absolute form, http://host/path (RFC 9112, 3.2.2).
    internal static ReadOnlySpan<char> PathOf(ReadOnlySpan<char> target)
    {
        if (target.StartsWith('/'))
            return target;
        int authority = target.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0)
            return default;
        target = target[(authority + 3)..];
        int end = target.IndexOfAny('/', '?', '#'); // an authority ends there; what follows a question mark is not the path
        return end < 0 || target[end] != '/' ? default : target[end..];
    }
}
