using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching.Keys;

/// <summary>
/// Compares by an application's comparer, which may block, call back and throw: it runs only outside of critical regions.
/// </summary>
/// <remarks>
/// <see cref="Learn"/> copies the keys that a lookup may meet under the lock of their bucket, and compares them after the unlock. The
/// lookup then uses the results. If it meets a key that was put since, it stops, learns again, and restarts.
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

    // Bytes that cannot be decoded are not the wanted key.
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
