using System;
using System.Buffers.Binary;

namespace BigPile.Hash.Format;

/// <summary>The hash of a key: 64 bits, the highest of which are the bucket's number.</summary>
/// <remarks>Folded 64 x 64 bit products, as in wyhash. Each database has a random seed, so that colliding keys cannot be chosen.</remarks>
internal static class KeyHash
{
    private const ulong First = 0xA0761D6478BD642F;
    private const ulong Second = 0xE7037ED1A0B428DB;
    private const ulong Third = 0x8EBC6AF09C88C6E3;

    internal static ulong Of(ReadOnlySpan<byte> key, ulong seed)
    {
        ulong state = seed ^ First;
        ReadOnlySpan<byte> rest = key;
        while (rest.Length > 16)
        {
            state = Fold(Word(rest) ^ Second, Word(rest[8..]) ^ state);
            rest = rest[16..];
        }
        ulong low = 0;
        ulong high = 0;
        if (rest.Length >= 8)
        {
            low = Word(rest);
            high = Word(rest[^8..]);
        }
        else
        {
            for (int i = 0; i < rest.Length; i++)
                low |= (ulong)rest[i] << (i * 8);
        }
        return Fold(Second ^ (ulong)key.Length, Fold(low ^ Second, high ^ state) ^ Third);
    }

    private static ulong Word(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt64LittleEndian(bytes);

    private static ulong Fold(ulong one, ulong other)
    {
        ulong high = Math.BigMul(one, other, out ulong low);
        return high ^ low;
    }
}
