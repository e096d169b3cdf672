using System;
using System.Collections.Generic;

namespace BigPile.Caching.Keys;

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
