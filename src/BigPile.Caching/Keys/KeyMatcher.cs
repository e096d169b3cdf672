using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

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

/// <summary>Compares by a comparer of the framework, which never blocks, calls back or throws: it may run under locks.</summary>
internal sealed class OwnMatcher<TKey>(KeyCodec<TKey> codec, TKey key, IEqualityComparer<TKey> comparer) : KeyMatcher
    where TKey : notnull
{
    /// <summary>Whether a comparer is the framework's, and the keys are encoded without a codec.</summary>
    internal static bool IsFor(IEqualityComparer<TKey> comparer) =>
        KeyCodec<TKey>.HasOwnBytes
        && (ReferenceEquals(comparer, EqualityComparer<TKey>.Default)
            || (comparer is StringComparer && comparer.GetType().Assembly == typeof(StringComparer).Assembly));

    // A reader may see bytes that are changing, and later discards the result; so bytes that cannot be decoded just do not match.
    internal override bool Matches(ReadOnlySpan<byte> stored)
    {
        try
        {
            return comparer.Equals(codec.Decode(stored), key);
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}

/// <summary>A lookup met a key that was put after <see cref="KeyMatcher.Learn"/> compared those of its bucket.</summary>
[SuppressMessage("Design", "CA1032", Justification = "Thrown and caught within the table.")]
[SuppressMessage("Design", "CA1064", Justification = "Thrown and caught within the table.")]
internal sealed class KeyNotComparedException() : Exception("A key has to be compared outside of the pile first.");

/// <summary>A key to look up: its bytes, its hash, and a matcher if not compared byte by byte.</summary>
internal readonly ref struct KeyProbe(ReadOnlySpan<byte> bytes, ulong hash, KeyMatcher? matcher = null)
{
    internal readonly ReadOnlySpan<byte> Bytes = bytes;
    internal readonly ulong Hash = hash;
    internal readonly KeyMatcher? Matcher = matcher;
}
