using System;

namespace BigPile.AspNetCore.Security;

/// <summary>Says whether a read of an entry may be served at once, for the keys and the rate limits of the host.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal interface IEntryGuard
{
    /// <summary>Whether every read is allowed: no keys and no rate limits are set.</summary>
    bool IsOpen { get; }

    /// <summary>Checks a read, and takes its permit when it is allowed.</summary>
    /// <param name="authorization">The value of the header <c>Authorization</c>; empty when there is none.</param>
    /// <param name="table">The table's name.</param>
    EntryAccess CheckRead(ReadOnlySpan<byte> authorization, ReadOnlySpan<char> table);
}
