using System;
using System.Collections.Generic;

namespace BigPile.Caching.Keys;

/// <summary>Compares by a comparer of the framework, which neither waits nor calls back nor throws: it may run anywhere.</summary>
internal sealed class OwnMatcher<TKey>(KeyCodec<TKey> codec, TKey key, IEqualityComparer<TKey> comparer) : KeyMatcher
    where TKey : notnull
{
    /// <summary>Whether a comparer is one of those, for keys whose bytes no codec has made.</summary>
    internal static bool IsFor(IEqualityComparer<TKey> comparer) =>
        KeyCodec<TKey>.HasOwnBytes
        && (ReferenceEquals(comparer, EqualityComparer<TKey>.Default)
            || (comparer is StringComparer && comparer.GetType().Assembly == typeof(StringComparer).Assembly));

    // A reader may come by bytes that are being changed. What they say does not count then, and neither does what they can't say.
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
