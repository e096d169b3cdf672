using System;

namespace BigPile.Caching.Keys;

/// <summary>Compares stored keys with one key by a comparer. Called under locks, and with bytes that may be changing.</summary>
internal abstract class KeyMatcher
{
    /// <summary>Whether a stored key is the one that is looked for.</summary>
    /// <exception cref="KeyNotComparedException">That has to be found out first, outside of the pile: see <see cref="Learn"/>.</exception>
    internal abstract bool Matches(ReadOnlySpan<byte> stored);

    /// <summary>
    /// Compares with the keys that a lookup may meet, so that it can be made. The caller is outside of the pile, and holds no lock.
    /// </summary>
    internal virtual void Learn()
    {
    }
}
