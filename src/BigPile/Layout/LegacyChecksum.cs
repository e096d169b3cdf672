using System.Diagnostics;
using System.Numerics;
using BigPile.Memory;

namespace BigPile.Layout;

/// <summary>The checksum of blocks that formats 1 to 6 wrote. It is verified, and never written.</summary>
/// <remarks>
/// From 256 bytes on, words are distributed to four lanes in turn, whose checksums are combined: damage that hits two lanes alike can go
/// undetected. <see cref="Checksum.OfBlock"/> replaced it for that reason.
/// </remarks>
internal static unsafe class LegacyChecksum
{
    private const int LaneWords = 4;
    private const int FewestWordsForLanes = 32;

    /// <summary>The checksum of a header word and a payload behind it.</summary>
    /// <param name="headerWord">The header in its plain form.</param>
    /// <param name="payload">
    /// The payload, aligned to 8 bytes. A last incomplete word must be readable as a whole; its upper bytes are taken as zeros.
    /// </param>
    /// <param name="lengthBytes">Its length.</param>
    internal static uint OfBlock(ulong headerWord, byte* payload, int lengthBytes)
    {
        Debug.Assert(lengthBytes >= 0 && (nuint)payload % sizeof(ulong) == 0, "The last word may lie behind what can be read.");
        uint sum = BitOperations.Crc32C(Crc32C.Seed, headerWord);
        var words = (ulong*)payload;
        int count = lengthBytes / sizeof(ulong);
        int i = 0;
        if (count >= FewestWordsForLanes)
        {
            i = count / LaneWords * LaneWords;
            sum = OfLanes(sum, words, i);
        }
        for (; i < count; i++)
            sum = BitOperations.Crc32C(sum, words[i]);
        int rest = lengthBytes % sizeof(ulong);
        return rest == 0 ? sum : BitOperations.Crc32C(sum, words[count] & ((1UL << (rest * 8)) - 1));
    }

    private static uint OfLanes(uint seed, ulong* words, int count)
    {
        Debug.Assert(count % LaneWords == 0, "A word would be taken that is not of the payload.");
        uint a = seed;
        uint b = 1;
        uint c = 2;
        uint d = 3;
        for (int i = 0; i < count; i += LaneWords)
        {
            a = BitOperations.Crc32C(a, words[i]);
            b = BitOperations.Crc32C(b, words[i + 1]);
            c = BitOperations.Crc32C(c, words[i + 2]);
            d = BitOperations.Crc32C(d, words[i + 3]);
        }
        return BitOperations.Crc32C(BitOperations.Crc32C(a, b | ((ulong)c << 32)), d);
    }
}
