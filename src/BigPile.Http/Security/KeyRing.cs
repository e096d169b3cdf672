using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Http.Security;

/// <summary>All API keys of a host, and the guard that checks them.</summary>
/// <remarks>No allocation once each key has proved itself. Thread safety: all members may be called concurrently.</remarks>
internal sealed class KeyRing : IEntryGuard
{
    private readonly TimeProvider _time;
    private volatile Dictionary<string, HeldKey> _keys;

    /// <exception cref="ArgumentException">A key is invalid, or two have the same name.</exception>
    internal KeyRing(IEnumerable<BigPileKey> keys, TimeProvider time)
    {
        _time = time;
        _keys = [];
        _keys = Held(keys);
        IsOpen = _keys.Count == 0;
    }

    /// <inheritdoc/>
    public bool IsOpen { get; }

    internal IReadOnlyCollection<string> Names => _keys.Keys;

    /// <summary>Replaces the keys; an unchanged key keeps its state of the rate limiter.</summary>
    /// <returns>Whether anything changed.</returns>
    /// <exception cref="ArgumentException">
    /// A key is invalid, two have the same name, or there are none, which would open the service to everyone. Nothing changes then.
    /// </exception>
    /// <exception cref="InvalidOperationException">The service was started without keys.</exception>
    internal bool Replace(IEnumerable<BigPileKey> keys)
    {
        if (IsOpen)
            throw new InvalidOperationException("The host has no keys.");
        Dictionary<string, HeldKey> held = Held(keys);
        if (held.Count == 0)
            throw new ArgumentException("There are no keys any more; leave one, or restart without any.");
        if (held.Count == _keys.Count && held.Values.All(key => _keys.TryGetValue(key.Name, out HeldKey? known) && known == key))
            return false;
        Dictionary<string, HeldKey> former = _keys;
        _keys = held;
        foreach (HeldKey gone in former.Values.Except(held.Values))
            gone.Revoke();
        return true;
    }

    /// <inheritdoc/>
    public EntryAccess CheckRead(ReadOnlySpan<byte> authorization, ReadOnlySpan<char> table)
    {
        if (IsOpen)
            return EntryAccess.Allowed;
        bool isAllowed = CredentialText.TryReadBearer(authorization, out ReadOnlySpan<byte> credential)
            && Find(credential, out _) is { } key
            && key.Has(KeyScopes.Read)
            && key.Reaches(table)
            && key.TryTakePermit(out _);
        return isAllowed ? EntryAccess.Allowed : EntryAccess.Other;
    }

    /// <summary>Finds the key that a credential proves.</summary>
    /// <param name="credential">The credential.</param>
    /// <param name="claimed">The key that the credential names, proved or not; <see langword="null"/>: there is none of that name.</param>
    /// <returns><see langword="null"/> if it proves none.</returns>
    internal HeldKey? Find(ReadOnlySpan<byte> credential, out HeldKey? claimed)
    {
        claimed = null;
        Span<char> buffer = stackalloc char[CredentialText.MaxNameLength];
        if (!CredentialText.TrySplit(credential, buffer, out ReadOnlySpan<char> name, out ReadOnlySpan<byte> secret))
            return null;
        if (_keys.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(name, out claimed))
            return claimed.IsProvedBy(secret) ? claimed : null;
        SecretHash.Nobodys.Matches(secret); // an unknown name takes as long as a wrong secret
        return null;
    }

    private Dictionary<string, HeldKey> Held(IEnumerable<BigPileKey> keys)
    {
        var held = new Dictionary<string, HeldKey>(StringComparer.Ordinal);
        foreach (BigPileKey key in keys)
        {
            HeldKey one = _keys.TryGetValue(key.Name, out HeldKey? known) && known.IsAs(key) ? known : new HeldKey(key, _time);
            if (!held.TryAdd(key.Name, one))
                throw new ArgumentException($"There are two keys named '{key.Name}'; give each a name of its own.");
        }
        return held;
    }
}
