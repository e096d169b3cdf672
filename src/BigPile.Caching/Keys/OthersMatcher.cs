using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching.Keys;

/// <summary>
/// Compares by a comparer of the application, which may wait for anything, call back and throw: it runs outside of the pile only.
/// </summary>
/// <remarks>
/// The keys that a lookup may meet are copied under the lock of their bucket, and compared when it is released. Inside, a lookup finds
/// what was said of each; one that came in since ends it, and it begins anew.
/// </remarks>
internal sealed class OthersMatcher<TKey>(
    KeyCodec<TKey> codec, TKey key, ulong hash, IEqualityComparer<TKey> comparer, Action<ulong, List<byte[]>> copyKeys) : KeyMatcher
    where TKey : notnull
{
    private readonly List<(byte[] Stored, bool IsSame)> _compared = [];

    internal override bool Matches(ReadOnlySpan<byte> stored)
    {
        foreach ((byte[] known, bool isSame) in _compared)
        {
            if (stored.SequenceEqual(known))
                return isSame;
        }
        throw new KeyNotComparedException();
    }

    internal override void Learn()
    {
        var found = new List<byte[]>();
        copyKeys(hash, found);
        foreach (byte[] stored in found)
        {
            if (!_compared.Exists(one => one.Stored.AsSpan().SequenceEqual(stored)))
                _compared.Add((stored, TryDecode(stored, out TKey? other) && comparer.Equals(other, key)));
        }
    }

    // What can't be read as a key is none that is looked for.
    private bool TryDecode(byte[] stored, [NotNullWhen(true)] out TKey? other)
    {
        try
        {
            other = codec.Decode(stored);
            return other != null;
        }
        catch (Exception e) when (e is PileException or ArgumentException or InvalidCastException)
        {
            other = default;
            return false;
        }
    }
}
