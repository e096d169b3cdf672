using System;
using System.Numerics;
using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>CRC-32C without the final complement, so that parts can be added; by the processor's instruction where it has one.</summary>
internal static class Crc32C
{
    /// <summary>What a checksum begins with.</summary>
    internal const uint Seed = uint.MaxValue;

    /// <summary>Adds a part. Parts of other lengths that make the same whole give the same checksum.</summary>
    internal static uint Add(uint checksum, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        foreach (ulong word in words)
            checksum = BitOperations.Crc32C(checksum, word);
        foreach (byte rest in bytes[(words.Length * sizeof(ulong))..])
            checksum = BitOperations.Crc32C(checksum, rest);
        return checksum;
    }
}
