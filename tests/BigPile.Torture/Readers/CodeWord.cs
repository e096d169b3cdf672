using System;
using System.Numerics;
using System.Runtime.InteropServices;

namespace BigPile.Torture.Readers;

/// <summary>Values of one word again and again, which no checksum of the pile tells apart.</summary>
/// <remarks>
/// A word holds an object's index, a version, and their CRC-32C in its upper half. So the CRC-32C of each word is zero, and a block keeps
/// its checksum whatever words of other versions are mixed into it: a reader that relied on checksums would serve every mixture.
/// </remarks>
internal static class CodeWord
{
    private const int VersionBits = 22;
    private const uint VersionMask = (1u << VersionBits) - 1;

    /// <summary>The most objects that words can tell apart.</summary>
    internal const int MaxObjects = 1 << (32 - VersionBits);

    internal static ulong Of(int index, int version)
    {
        uint content = ((uint)index << VersionBits) | ((uint)version & VersionMask);
        return content | ((ulong)BitOperations.Crc32C(0, content) << 32);
    }

    /// <summary>Fills a value.</summary>
    internal static void Fill(Span<byte> value, int index, int version) => MemoryMarshal.Cast<byte, ulong>(value).Fill(Of(index, version));

    /// <summary>Whether all words are one and the same that was made by <see cref="Of"/>.</summary>
    internal static bool IsWhole(ReadOnlySpan<byte> value)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(value);
        return value.Length != 0 && value.Length % sizeof(ulong) == 0 && BitOperations.Crc32C(0, words[0]) == 0
            && words.IndexOfAnyExcept(words[0]) < 0;
    }

    internal static int IndexOf(ReadOnlySpan<byte> value) => (int)((uint)MemoryMarshal.Read<ulong>(value) >> VersionBits);

    internal static int VersionOf(ReadOnlySpan<byte> value) => (int)((uint)MemoryMarshal.Read<ulong>(value) & VersionMask);

    /// <summary>Whether a version is older than another one; they come round after some millions.</summary>
    internal static bool IsOlder(int version, int than) => (((uint)than - (uint)version) & VersionMask) - 1 < VersionMask / 2;

    internal static int Next(int version) => (int)(((uint)version + 1) & VersionMask);
}
