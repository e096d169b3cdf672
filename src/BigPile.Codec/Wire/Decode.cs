using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Wire;

/// <summary>Reads numbers in whatever MessagePack form they have.</summary>
/// <remarks>
/// Fixed-size values are read without a check: the buffer's slack may be read, and the caller compares with the end afterwards.
/// </remarks>
internal static unsafe partial class Decode
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Boolean(byte* p, ref bool place)
    {
        byte code = *p;
        if (code is not (Code.False or Code.True))
            BadData.Unexpected(code, "a boolean");
        place = code == Code.True;
        return p + 1;
    }

    public static byte* SByte(byte* p, ref sbyte place)
    {
        p = Ranged(p, sbyte.MinValue, sbyte.MaxValue, out long value);
        place = (sbyte)value;
        return p;
    }

    public static byte* Byte(byte* p, ref byte place)
    {
        p = Ranged(p, byte.MinValue, byte.MaxValue, out long value);
        place = (byte)value;
        return p;
    }

    public static byte* Int16(byte* p, ref short place)
    {
        p = Ranged(p, short.MinValue, short.MaxValue, out long value);
        place = (short)value;
        return p;
    }

    public static byte* UInt16(byte* p, ref ushort place)
    {
        p = Ranged(p, ushort.MinValue, ushort.MaxValue, out long value);
        place = (ushort)value;
        return p;
    }

    public static byte* Char(byte* p, ref char place) => UInt16(p, ref Unsafe.As<char, ushort>(ref place));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Int32(byte* p, ref int place)
    {
        int value = (sbyte)*p;
        if (value < -32)
            return Int32Long(p, ref place);
        place = value;
        return p + 1;
    }

    public static byte* UInt32(byte* p, ref uint place)
    {
        p = Ranged(p, uint.MinValue, uint.MaxValue, out long value);
        place = (uint)value;
        return p;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Int64(byte* p, ref long place)
    {
        long value = (sbyte)*p;
        if (value < -32)
            return Int64Long(p, out place);
        place = value;
        return p + 1;
    }

    public static byte* UInt64(byte* p, ref ulong place)
    {
        if (*p == Code.UInt64)
        {
            place = BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 1));
            return p + 9;
        }
        p = Ranged(p, 0, long.MaxValue, out long value);
        place = (ulong)value;
        return p;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Single(byte* p, ref float place)
    {
        if (*p != Code.Float32)
            return SingleLong(p, ref place);
        place = BitConverter.UInt32BitsToSingle(BinaryPrimitives.ReverseEndianness(*(uint*)(p + 1)));
        return p + 5;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Double(byte* p, ref double place)
    {
        if (*p != Code.Float64)
            return DoubleLong(p, ref place);
        place = BitConverter.UInt64BitsToDouble(BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 1)));
        return p + 9;
    }

    /// <summary>An integer that must lie in a range.</summary>
    public static byte* Ranged(byte* p, long least, long most, out long value)
    {
        value = (sbyte)*p;
        p = value >= -32 ? p + 1 : Int64Long(p, out value);
        if (value < least || value > most)
            BadData.OutOfRange("number of the field's type");
        return p;
    }
}
