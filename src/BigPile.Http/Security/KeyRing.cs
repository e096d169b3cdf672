using System;
using System.Collections.Generic;

namespace BigPile.Http.Security;

/// <summary>All keys of a host, and the guard that asks for them.</summary>
/// <remarks>Nothing here makes an object once each key has proved itself. Thread safety: all members may be called concurrently.</remarks>
internal sealed class KeyRing : IEntryGuard
{
    private readonly Dictionary<string, HeldKey> _keys = new(StringComparer.Ordinal);
    private readonly Dictionary<string, HeldKey>.AlternateLookup<ReadOnlySpan<char>> _byName;

    /// <exception cref="ArgumentException">A key is not what it must be, or there are two of one name.</exception>
    internal KeyRing(IEnumerable<BigPileKey> keys, TimeProvider time)
    {
        _byName = _keys.GetAlternateLookup<ReadOnlySpan<char>>();
        foreach (BigPileKey key in keys)
        {
            if (!_keys.TryAdd(key.Name, new HeldKey(key, time)))
                throw new ArgumentException($"There are two keys named '{key.Name}'; give each a name of its own.");
        }
    }

    /// <inheritdoc/>
    public bool IsOpen => _keys.Count == 0;

    /// <inheritdoc/>
    public EntryAccess CheckRead(ReadOnlySpan<byte> authorization, ReadOnlySpan<char> table)
    {
        if (IsOpen)
            return EntryAccess.Allowed;
        bool isAllowed = CredentialText.TryReadBearer(authorization, out ReadOnlySpan<byte> credential)
            && Find(credential) is { } key
            && key.Has(KeyScopes.Read)
            && key.Reaches(table)
            && key.TryTakePermit(out _);
        return isAllowed ? EntryAccess.Allowed : EntryAccess.Other;
    }

    /// <summary>Finds the key that a credential proves.</summary>
    /// <returns><see langword="null"/> when it proves none.</returns>
    internal HeldKey? Find(ReadOnlySpan<byte> credential)
    {
        Span<char> room = stackalloc char[CredentialText.MaxNameLength];
        if (!CredentialText.TrySplit(credential, room, out ReadOnlySpan<char> name, out ReadOnlySpan<byte> secret))
            return null;
        if (_byName.TryGetValue(name, out HeldKey? key))
            return key.IsProvedBy(secret) ? key : null;
        SecretHash.Nobodys.Matches(secret); // a name that nobody has takes as long as a wrong secret
        return null;
    }
}
