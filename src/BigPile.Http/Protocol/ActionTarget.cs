using System;

namespace BigPile.Http.Protocol;

/// <summary>The parts of a request target for an action on a table: <c>/v1/tables/{table}:{action}</c>.</summary>
/// <remarks>A table's name has no colon, not even an escaped one, so the first colon begins the action.</remarks>
internal readonly ref struct ActionTarget
{
    private ActionTarget(ReadOnlySpan<char> table, ReadOnlySpan<char> action)
    {
        Table = table;
        Action = action;
    }

    /// <summary>The table's name, still encoded.</summary>
    internal ReadOnlySpan<char> Table { get; }

    internal ReadOnlySpan<char> Action { get; }

    /// <summary>Splits a target.</summary>
    /// <returns><see langword="false"/> if it names no action on a table.</returns>
    internal static bool TryParse(ReadOnlySpan<char> rawTarget, out ActionTarget target)
    {
        target = default;
        ReadOnlySpan<char> path = EntryTarget.PathOf(rawTarget);
        if (!path.StartsWith(EntryTarget.Prefix, StringComparison.Ordinal))
            return false;
        path = path[EntryTarget.Prefix.Length..];
        int query = path.IndexOf('?');
        if (query >= 0)
            path = path[..query];
        int colon = path.IndexOf(':');
        if (colon < 0 || path.Contains('/'))
            return false;
        target = new ActionTarget(path[..colon], path[(colon + 1)..]);
        return true;
    }
}
