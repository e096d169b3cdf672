using System;

namespace BigPile.Caching.Keys;

/// <summary>A key to look for: its bytes, their hash, and how to compare if not byte by byte.</summary>
internal readonly ref struct KeyProbe(ReadOnlySpan<byte> bytes, ulong hash, KeyMatcher? matcher = null)
{
    internal readonly ReadOnlySpan<byte> Bytes = bytes;
    internal readonly ulong Hash = hash;
    internal readonly KeyMatcher? Matcher = matcher;
}
