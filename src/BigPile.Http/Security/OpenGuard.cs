using System;

namespace BigPile.Http.Security;

/// <summary>The guard of a host without keys: it allows every read.</summary>
internal sealed class OpenGuard : IEntryGuard
{
    /// <inheritdoc/>
    public bool IsOpen => true;

    /// <inheritdoc/>
    public EntryAccess CheckRead(ReadOnlySpan<byte> authorization, ReadOnlySpan<char> table) => EntryAccess.Allowed;
}
