using System;
using System.Collections.Generic;

namespace BigPile.Caching.SingleFlight;

/// <summary>A key whose factory runs. Two are equal exactly if the table takes them for one key.</summary>
/// <param name="Key">The key.</param>
/// <param name="Bytes">The key's encoded bytes; <see langword="null"/> where keys are compared as objects.</param>
internal readonly record struct FlightKey(object Key, byte[]? Bytes)
{
    /// <summary>The key's hash, once computed.</summary>
    internal int Hash { get; init; }
}

/// <summary>Compares keys as their table does.</summary>
/// <remarks>Keys that the table stores as bytes may be of several types: equal bytes are one key.</remarks>
internal sealed class FlightKeyComparer<TKey>(IEqualityComparer<TKey>? comparer) : IEqualityComparer<FlightKey>
    where TKey : notnull
{
    private readonly IEqualityComparer<TKey> _comparer = comparer ?? EqualityComparer<TKey>.Default;

    /// <summary>Computes the key's hash once.</summary>
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
