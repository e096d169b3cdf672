using System;
using System.Buffers.Binary;
using System.Security.Cryptography;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Tags;

/// <summary>Hashes tags: the same in every pile, so that an entry keeps its tags wherever it is moved to.</summary>
/// <remarks>
/// The first 64 bits of SHA-256. Without a secret, a cheaper hash would let whoever chooses a tag have it removed together with another
/// one. The tags of late are remembered, since most come again and again. Thread safety: all members may be called concurrently.
/// </remarks>
internal static class TagHash
{
    private const int PlaceCount = 1024;
    private const int MaxRememberedLength = 256;

    private static readonly Known?[] Late = new Known?[PlaceCount];

    /// <exception cref="ArgumentException">The tag is no text.</exception>
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
