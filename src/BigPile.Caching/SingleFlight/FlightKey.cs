using System;
using System.Collections.Generic;

namespace BigPile.Caching.SingleFlight;

/// <summary>A key whose factory runs: equal to another one exactly if the table holds the two for one key.</summary>
/// <param name="Key">The key.</param>
/// <param name="Bytes">The key's bytes in the table; <see langword="null"/> where keys are equal as their type says.</param>
internal readonly record struct FlightKey(object Key, byte[]? Bytes)
{
    /// <summary>The key's hash, where it was asked for.</summary>
    internal int Hash { get; init; }
}

/// <summary>Compares keys as their table does.</summary>
/// <remarks>Keys that the table has as bytes may be of several types, which it takes for one key where the bytes are the same.</remarks>
internal sealed class FlightKeyComparer<TKey>(IEqualityComparer<TKey>? comparer) : IEqualityComparer<FlightKey>
    where TKey : notnull
{
    private readonly IEqualityComparer<TKey> _comparer = comparer ?? EqualityComparer<TKey>.Default;

    /// <summary>A key with its hash.</summary>
    internal FlightKey Hashed(in FlightKey key) => key with { Hash = GetHashCode(key) };

    public bool Equals(FlightKey left, FlightKey right) =>
        left.Bytes == null ? _comparer.Equals((TKey)left.Key, (TKey)right.Key) : left.Bytes.AsSpan().SequenceEqual(right.Bytes);

    public int GetHashCode(FlightKey key)
    {
        if (key.Bytes == null)
            return _comparer.GetHashCode((TKey)key.Key);
        var hash = default(HashCode);
        hash.AddBytes(key.Bytes);
        return hash.ToHashCode();
    }
}
