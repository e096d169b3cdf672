using System;
using System.Numerics;
using System.Runtime.InteropServices;

namespace BigPile.Storage;

/// <summary>CRC-32C, by the processor's instruction where it has one.</summary>
internal static class Checksum
{
    internal static uint Of(ReadOnlySpan<byte> bytes, uint seed = uint.MaxValue)
    {
        uint crc = seed;
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        foreach (ulong word in words)
            crc = BitOperations.Crc32C(crc, word);
        foreach (byte rest in bytes[(words.Length * sizeof(ulong))..])
            crc = BitOperations.Crc32C(crc, rest);
        return ~crc;
    }
}
