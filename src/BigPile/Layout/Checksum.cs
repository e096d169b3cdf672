using System;
using System.Diagnostics;
using System.Numerics;
using BigPile.Memory;

namespace BigPile.Layout;

/// <summary>CRC-32C, by the processor's instruction where it has one.</summary>
internal static unsafe class Checksum
{
    private const int LaneWords = 4;
    private const int FewestWordsForLanes = 32;

    internal static uint Of(ReadOnlySpan<byte> bytes, uint seed = Crc32C.Seed) => ~Crc32C.Add(seed, bytes);

    /// <summary>The checksum of a header word and a payload behind it, without the final complement.</summary>
    /// <remarks>
    /// The instruction takes three cycles, and a new one can begin with each. From 256 bytes on, the words are therefore dealt to four
    /// lanes, and the lanes' checksums are checksummed in turn. A last word that is not whole is taken with zeros above it; it must lie
    /// in readable memory as a whole.
    /// </remarks>
    internal static uint OfBlock(ulong headerWord, byte* payload, long lengthBytes)
    {
        Debug.Assert(lengthBytes >= 0 && (nuint)payload % sizeof(ulong) == 0, "The last word may lie behind what can be read.");
        uint crc = BitOperations.Crc32C(Crc32C.Seed, headerWord);
        var words = (ulong*)payload;
        long count = lengthBytes / sizeof(ulong);
        long i = 0;
        if (count >= FewestWordsForLanes)
        {
            i = count / LaneWords * LaneWords;
            crc = OfLanes(crc, words, i);
        }
        for (; i < count; i++)
            crc = BitOperations.Crc32C(crc, words[i]);
        int rest = (int)(lengthBytes % sizeof(ulong));
        return rest == 0 ? crc : BitOperations.Crc32C(crc, words[count] & ((1UL << (rest * 8)) - 1));
    }

    private static uint OfLanes(uint seed, ulong* words, long count)
    {
        Debug.Assert(count % LaneWords == 0, "A word would be taken that is not of the payload.");
        uint a = seed;
        uint b = 1;
        uint c = 2;
        uint d = 3;
        for (long i = 0; i < count; i += LaneWords)
        {
            a = BitOperations.Crc32C(a, words[i]);
            b = BitOperations.Crc32C(b, words[i + 1]);
            c = BitOperations.Crc32C(c, words[i + 2]);
            d = BitOperations.Crc32C(d, words[i + 3]);
        }
        return BitOperations.Crc32C(BitOperations.Crc32C(a, b | ((ulong)c << 32)), d);
    }
}
