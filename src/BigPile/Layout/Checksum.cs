using System;
using System.Numerics;
using BigPile.Memory;

namespace BigPile.Layout;

/// <summary>CRC-32C.</summary>
internal static unsafe class Checksum
{
    internal static uint Of(ReadOnlySpan<byte> bytes, uint seed = Crc32C.Seed) => ~Crc32C.Add(seed, bytes);

    /// <summary>The CRC-32C of a header word and a payload behind it, without the final complement.</summary>
    internal static uint OfBlock(ulong headerWord, byte* payload, int lengthBytes) =>
        Crc32C.Add(BitOperations.Crc32C(Crc32C.Seed, headerWord), new ReadOnlySpan<byte>(payload, lengthBytes));
}
