using System;

namespace BigPile.Caching.Keys;

/// <summary>A key to look up: its bytes, its hash, and a matcher if not compared byte by byte.</summary>
internal readonly ref struct KeyProbe(ReadOnlySpan<byte> bytes, ulong hash, KeyMatcher? matcher = null)
{
    internal readonly ReadOnlySpan<byte> Bytes = bytes;
    internal readonly ulong Hash = hash;
    internal readonly KeyMatcher? Matcher = matcher;
}
