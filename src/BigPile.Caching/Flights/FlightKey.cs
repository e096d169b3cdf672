using System;
using System.Collections.Generic;

namespace BigPile.Caching.Flights;

/// <summary>A key whose factory runs: equal to another one exactly if the table holds the two for one key.</summary>
/// <param name="Key">The key.</param>
/// <param name="Bytes">The key's bytes in the table; <see langword="null"/> where keys are equal as their type says.</param>
internal readonly record struct FlightKey<TKey>(TKey Key, byte[]? Bytes)
    where TKey : notnull
{
    /// <summary>The key's hash, where it was asked for.</summary>
    internal int Hash { get; init; }
}

/// <summary>Compares keys as their table does.</summary>
internal sealed class FlightKeyComparer<TKey>(IEqualityComparer<TKey>? comparer) : IEqualityComparer<FlightKey<TKey>>
    where TKey : notnull
{
    private readonly IEqualityComparer<TKey> _comparer = comparer ?? EqualityComparer<TKey>.Default;

    /// <summary>A key with its hash.</summary>
    internal FlightKey<TKey> Hashed(in FlightKey<TKey> key) => key with { Hash = GetHashCode(key) };

    public bool Equals(FlightKey<TKey> left, FlightKey<TKey> right) =>
        left.Bytes == null ? _comparer.Equals(left.Key, right.Key) : left.Bytes.AsSpan().SequenceEqual(right.Bytes);

    public int GetHashCode(FlightKey<TKey> key)
    {
        if (key.Bytes == null)
            return _comparer.GetHashCode(key.Key);
        var hash = default(HashCode);
        hash.AddBytes(key.Bytes);
        return hash.ToHashCode();
    }
}
