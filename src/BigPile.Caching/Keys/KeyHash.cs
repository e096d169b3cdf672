using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace BigPile.Caching.Keys;

/// <summary>Hashes key bytes for the index, with a secret seed against keys chosen to collide.</summary>
/// <remarks>
/// Folded 64 x 64 multiplication, the construction of wyhash (Wang Yi, 2019). Each set of indexes has a random seed, saved with it.
/// Thread safety: immutable.
/// </remarks>
internal readonly struct KeyHash(ulong seed)
{
    private const ulong Secret0 = 0xA0761D6478BD642F;
    private const ulong Secret1 = 0xE7037ED1A0B428DB;
    private const ulong Secret2 = 0x8EBC6AF09C88C6E3;

    internal ulong Seed => seed;

    internal static KeyHash New() => new(BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong))));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Of(ReadOnlySpan<byte> key) =>
        key.Length == sizeof(ulong) ? Of(Read64(ref MemoryMarshal.GetReference(key), 0)) : OfAny(key);

    /// <summary>The hash of a key of eight bytes, given as a number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Of(ulong key) => Fold(Secret2 ^ sizeof(ulong), Fold(key ^ Secret1, key ^ seed ^ Secret0));

    private ulong OfAny(ReadOnlySpan<byte> key)
    {
        ref byte first = ref MemoryMarshal.GetReference(key);
        nuint length = (nuint)key.Length;
        ulong hash = seed ^ Secret0;
        nuint at = 0;
        for (; length - at > 16; at += 16)
            hash = Fold(Read64(ref first, at) ^ Secret1, Read64(ref first, at + 8) ^ hash);
        (ulong low, ulong high) = ReadLast(ref first, at, length - at);
        return Fold(Secret2 ^ length, Fold(low ^ Secret1, high ^ hash));
    }

    private static (ulong Low, ulong High) ReadLast(ref byte first, nuint at, nuint rest)
    {
        if (rest >= 8)
            return (Read64(ref first, at), Read64(ref first, at + rest - 8));
        if (rest >= 4)
            return (Read32(ref first, at), Read32(ref first, at + rest - 4));
        ulong bytes = 0;
        for (nuint i = 0; i < rest; i++)
            bytes = (bytes << 8) | Unsafe.Add(ref first, at + i);
        return (bytes, 0);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong a, ulong b)
    {
        ulong high = Math.BigMul(a, b, out ulong low);
        return high ^ low;
    }

    private static ulong Read64(ref byte first, nuint at) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref first, at));

    private static uint Read32(ref byte first, nuint at) => Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref first, at));
}
