using System;
using System.Buffers.Binary;
using System.Security.Cryptography;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Tags;

/// <summary>Hashes tags, alike in every pile, so that an entry keeps its tags when it moves to another one.</summary>
/// <remarks>
/// The first 64 bits of SHA-256. The hash has no secret, so it must be a strong one: else a client could choose a tag that collides with
/// another and is removed with it. Recent tags are cached, since most recur. Thread safety: all members may be called concurrently.
/// </remarks>
internal static class TagHash
{
    private const int PlaceCount = 1024;
    private const int MaxRememberedLength = 256;

    private static readonly Known?[] Late = new Known?[PlaceCount]; // direct-mapped cache; any thread replaces an element

    /// <exception cref="ArgumentException">The tag has a lone surrogate.</exception>
    internal static ulong Of(string tag)
    {
        if (tag.Length > MaxRememberedLength)
            return Compute(tag);
        ref Known? place = ref Late[(uint)tag.GetHashCode(StringComparison.Ordinal) % PlaceCount];
        Known? known = place;
        if (known == null || known.Tag != tag)
            place = known = new Known(tag, Compute(tag));
        return known.Hash;
    }

    private static ulong Compute(string tag)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(TextKey.Utf8Of(tag, "tag"), digest);
        ulong hash = BinaryPrimitives.ReadUInt64LittleEndian(digest);
        return hash == TagMarks.AllTag ? 1 : hash;
    }

    private sealed record Known(string Tag, ulong Hash);
}
