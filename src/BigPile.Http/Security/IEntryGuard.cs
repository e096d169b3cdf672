using System;

namespace BigPile.Http.Security;

/// <summary>Decides whether a read of an entry may be served, by the host's keys and rate limits.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal interface IEntryGuard
{
    /// <summary>Whether every read is allowed: there are no keys and no rate limits.</summary>
    bool IsOpen { get; }

    /// <summary>Checks a read, and takes its permit if it is allowed.</summary>
    /// <remarks>A caller that then hands the request over must report the permit, or the request is charged twice.</remarks>
    /// <param name="authorization">The value of the header <c>Authorization</c>; empty if absent.</param>
    /// <param name="table">The table's name.</param>
    EntryAccess CheckRead(ReadOnlySpan<byte> authorization, ReadOnlySpan<char> table);
}

/// <summary>A guard's decision on a read.</summary>
internal enum EntryAccess
{
    /// <summary>Serve it.</summary>
    Allowed,

    /// <summary>Leave the answer to the full stack.</summary>
    Other,
}

/// <summary>The guard of a host without keys: it allows every read.</summary>
internal sealed class OpenGuard : IEntryGuard
{
    /// <inheritdoc/>
    public bool IsOpen => true;

    /// <inheritdoc/>
    public EntryAccess CheckRead(ReadOnlySpan<byte> authorization, ReadOnlySpan<char> table) => EntryAccess.Allowed;
}
