using System;

namespace BigPile.Http.Security;

/// <summary>Says whether a read of an entry may be served at once, for the keys and the rate limits of the host.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal interface IEntryGuard
{
    /// <summary>Whether every read is allowed: no keys and no rate limits are set.</summary>
    bool IsOpen { get; }

    /// <summary>Checks a read, and takes its permit when it is allowed.</summary>
    /// <remarks>Who then leaves the answer to the full stack must tell it so, lest the request is charged twice.</remarks>
    /// <param name="authorization">The value of the header <c>Authorization</c>; empty when there is none.</param>
    /// <param name="table">The table's name.</param>
    EntryAccess CheckRead(ReadOnlySpan<byte> authorization, ReadOnlySpan<char> table);
}
