using System;

namespace BigPile.Caching.Keys;

/// <summary>Compares stored keys with one key by a comparer. Called under locks, with bytes that may be changing.</summary>
internal abstract class KeyMatcher
{
    /// <summary>Whether a stored key equals the wanted one.</summary>
    /// <exception cref="KeyNotComparedException">
    /// The stored key is unknown: call <see cref="Learn"/> outside of critical regions, and retry.
    /// </exception>
    internal abstract bool Matches(ReadOnlySpan<byte> stored);

    /// <summary>
    /// Compares the wanted key with all stored keys that a lookup may meet. The caller is outside of critical regions, and holds no lock.
    /// </summary>
    internal virtual void Learn()
    {
    }
}
