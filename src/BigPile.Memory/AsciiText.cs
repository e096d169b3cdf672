using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace BigPile.Memory;

/// <summary>Copies text between UTF-16 characters and single bytes as long as it is ASCII.</summary>
/// <remarks>
/// Measured against <c>Encoding.UTF8</c> for 32 characters: 3.7 ns instead of 9.5 to write. Longer text than a few hundred characters
/// is better left to the runtime's own transcoders.
/// </remarks>
internal static unsafe class AsciiText
{
    private const int QuarterChars = sizeof(ulong) / sizeof(char);
    private const int HalfBytes = sizeof(ulong);
    private const int QuarterBytes = sizeof(uint);
    private const ulong NotAsciiChars = 0xFF80_FF80_FF80_FF80;
    private const ulong NotAsciiBytes = 0x8080_8080_8080_8080;

    /// <summary>Narrows characters to bytes.</summary>
    /// <returns><see langword="false"/> when a character is not ASCII; the destination then holds garbage in its first bytes.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryNarrow(ReadOnlySpan<char> source, byte* destination)
    {
        ref ushort first = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(source));
        nint length = source.Length;
        if (length >= Vector128<ushort>.Count)
            return TryNarrowVectors(ref first, destination, length);
        if (length >= QuarterChars)
            return TryNarrowQuarters(ref first, destination, length);
        uint seen = 0;
        for (nint i = 0; i < length; i++)
        {
            uint c = Unsafe.Add(ref first, i);
            seen |= c;
            destination[i] = (byte)c;
        }
        return seen < 0x80;
    }

    /// <summary>Widens bytes to characters.</summary>
    /// <returns><see langword="false"/> when a byte is not ASCII; the destination then holds garbage.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWiden(byte* source, Span<char> destination)
    {
        ref ushort first = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(destination));
        nint length = destination.Length;
        return length >= Vector128<byte>.Count ? TryWidenVectors(source, ref first, length) : TryWidenShort(source, ref first, length);
    }

    /// <summary>Widens fewer than 16 bytes to characters, without a call or a loop.</summary>
    /// <returns><see langword="false"/> when a byte is not ASCII; the destination then holds garbage.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWidenShort(byte* source, ref ushort first, nint length)
    {
        if (length >= HalfBytes)
            return TryWidenHalves(source, ref first, length);
        return length >= QuarterBytes ? TryWidenQuarters(source, ref first, length) : TryWidenFew(source, ref first, length);
    }

    // Two words that overlap in the middle hold any text of 4 to 8 characters.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryNarrowQuarters(ref ushort source, byte* destination, nint length)
    {
        ulong head = Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<ushort, byte>(ref source));
        ulong tail = Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<ushort, byte>(ref Unsafe.Add(ref source, length - QuarterChars)));
        Vector128<byte> bytes = Vector128.Narrow(Vector128.Create(head, tail).AsUInt16(), Vector128<ushort>.Zero);
        *(uint*)destination = bytes.AsUInt32().GetElement(0);
        *(uint*)(destination + length - QuarterChars) = bytes.AsUInt32().GetElement(1);
        return ((head | tail) & NotAsciiChars) == 0;
    }

    // Two words that overlap in the middle hold any text of 8 to 16 bytes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryWidenHalves(byte* source, ref ushort destination, nint length)
    {
        ulong head = *(ulong*)source;
        ulong tail = *(ulong*)(source + length - HalfBytes);
        (Vector128<ushort> low, Vector128<ushort> high) = Vector128.Widen(Vector128.Create(head, tail).AsByte());
        low.StoreUnsafe(ref destination);
        high.StoreUnsafe(ref destination, (nuint)(length - HalfBytes));
        return ((head | tail) & NotAsciiBytes) == 0;
    }

    // Two words that overlap in the middle hold any text of 4 to 8 bytes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryWidenQuarters(byte* source, ref ushort destination, nint length)
    {
        ulong both = *(uint*)source | (ulong)*(uint*)(source + length - QuarterBytes) << 32;
        Vector128<ulong> chars = Vector128.WidenLower(Vector128.CreateScalarUnsafe(both).AsByte()).AsUInt64();
        Unsafe.WriteUnaligned(ref Unsafe.As<ushort, byte>(ref destination), chars.ToScalar());
        Unsafe.WriteUnaligned(ref Unsafe.As<ushort, byte>(ref Unsafe.Add(ref destination, length - QuarterBytes)), chars.GetElement(1));
        return (both & NotAsciiBytes) == 0;
    }

    // The first, middle and last byte cover 1 to 3 bytes; a loop's exit would be mispredicted.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryWidenFew(byte* source, ref ushort destination, nint length)
    {
        if (length == 0)
            return true;
        uint first = source[0];
        uint middle = source[length >> 1];
        uint last = source[length - 1];
        destination = (ushort)first;
        Unsafe.Add(ref destination, length >> 1) = (ushort)middle;
        Unsafe.Add(ref destination, length - 1) = (ushort)last;
        return (first | middle | last) < 0x80;
    }

    // The last vector overlaps the one before it, so that no tail is left to a byte loop.
    private static bool TryNarrowVectors(ref ushort source, byte* destination, nint length)
    {
        nint i = 0;
        Vector128<ushort> seen = Vector128<ushort>.Zero;
        for (; i <= length - 2 * Vector128<ushort>.Count; i += 2 * Vector128<ushort>.Count)
        {
            Vector128<ushort> low = Vector128.LoadUnsafe(ref source, (nuint)i);
            Vector128<ushort> high = Vector128.LoadUnsafe(ref source, (nuint)(i + Vector128<ushort>.Count));
            seen |= low | high;
            Vector128.Narrow(low, high).Store(destination + i);
        }
        if (i <= length - Vector128<ushort>.Count)
        {
            seen |= NarrowOne(ref source, destination, i);
            i += Vector128<ushort>.Count;
        }
        if (i < length)
            seen |= NarrowOne(ref source, destination, length - Vector128<ushort>.Count);
        return (seen & Vector128.Create((ushort)0xFF80)) == Vector128<ushort>.Zero;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ushort> NarrowOne(ref ushort source, byte* destination, nint at)
    {
        Vector128<ushort> chars = Vector128.LoadUnsafe(ref source, (nuint)at);
        *(ulong*)(destination + at) = Vector128.Narrow(chars, chars).AsUInt64().ToScalar();
        return chars;
    }

    private static bool TryWidenVectors(byte* source, ref ushort destination, nint length)
    {
        nint i = 0;
        Vector128<byte> seen = Vector128<byte>.Zero;
        for (; i <= length - Vector128<byte>.Count; i += Vector128<byte>.Count)
            seen |= WidenOne(source, ref destination, i);
        if (i < length)
            seen |= WidenOne(source, ref destination, length - Vector128<byte>.Count);
        return (seen & Vector128.Create((byte)0x80)) == Vector128<byte>.Zero;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<byte> WidenOne(byte* source, ref ushort destination, nint at)
    {
        Vector128<byte> bytes = Vector128.Load(source + at);
        (Vector128<ushort> low, Vector128<ushort> high) = Vector128.Widen(bytes);
        low.StoreUnsafe(ref destination, (nuint)at);
        high.StoreUnsafe(ref destination, (nuint)(at + Vector128<ushort>.Count));
        return bytes;
    }
}
