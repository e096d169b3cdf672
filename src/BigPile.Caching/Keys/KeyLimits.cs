using System;

namespace BigPile.Caching.Keys;

/// <summary>The limit on the length of keys.</summary>
internal static class KeyLimits
{
    /// <summary>The most bytes that a key may have.</summary>
    internal const int MaxKeyBytes = 4096;

    /// <summary>Throws if a key is too long.</summary>
    /// <exception cref="ArgumentException">The key has more than <see cref="MaxKeyBytes"/>.</exception>
    internal static void CheckLength(int lengthBytes)
    {
        if (lengthBytes > MaxKeyBytes)
            Refuse(lengthBytes);
    }

    private static void Refuse(int lengthBytes) =>
        throw new ArgumentException($"The key has {lengthBytes:N0} bytes; {MaxKeyBytes:N0} are allowed. Use a digest of it.", "key");
}
