using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Wire;

/// <summary>Reads numbers in any of their MessagePack formats.</summary>
/// <remarks>
/// Fixed-size values are read without a bounds check. The slack after the payload may be read; the caller checks the position afterwards.
/// </remarks>
internal static unsafe partial class Decode
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Boolean(byte* p, ref bool target)
    {
        byte code = *p;
        if (code is not (Code.False or Code.True))
            BadData.Unexpected(code, "a boolean");
        target = code == Code.True;
        return p + 1;
    }

    public static byte* SByte(byte* p, ref sbyte target)
    {
        p = Ranged(p, sbyte.MinValue, sbyte.MaxValue, out long value);
        target = (sbyte)value;
        return p;
    }

    public static byte* Byte(byte* p, ref byte target)
    {
        p = Ranged(p, byte.MinValue, byte.MaxValue, out long value);
        target = (byte)value;
        return p;
    }

    public static byte* Int16(byte* p, ref short target)
    {
        p = Ranged(p, short.MinValue, short.MaxValue, out long value);
        target = (short)value;
        return p;
    }

    public static byte* UInt16(byte* p, ref ushort target)
    {
        p = Ranged(p, ushort.MinValue, ushort.MaxValue, out long value);
        target = (ushort)value;
        return p;
    }

    public static byte* Char(byte* p, ref char target) => UInt16(p, ref Unsafe.As<char, ushort>(ref target));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Int32(byte* p, ref int target)
    {
        // A first byte of -32 to 127 is the value itself.
        int value = (sbyte)*p;
        if (value < -32)
            return Int32Long(p, ref target);
        target = value;
        return p + 1;
    }

    public static byte* UInt32(byte* p, ref uint target)
    {
        p = Ranged(p, uint.MinValue, uint.MaxValue, out long value);
        target = (uint)value;
        return p;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Int64(byte* p, ref long target)
    {
        // A first byte of -32 to 127 is the value itself.
        long value = (sbyte)*p;
        if (value < -32)
            return Int64Long(p, out target);
        target = value;
        return p + 1;
    }

    public static byte* UInt64(byte* p, ref ulong target)
    {
        if (*p == Code.UInt64)
        {
            target = BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 1));
            return p + 9;
        }
        p = Ranged(p, 0, long.MaxValue, out long value);
        target = (ulong)value;
        return p;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Single(byte* p, ref float target)
    {
        if (*p != Code.Float32)
            return SingleLong(p, ref target);
        target = BitConverter.UInt32BitsToSingle(BinaryPrimitives.ReverseEndianness(*(uint*)(p + 1)));
        return p + 5;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Double(byte* p, ref double target)
    {
        if (*p != Code.Float64)
            return DoubleLong(p, ref target);
        target = BitConverter.UInt64BitsToDouble(BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 1)));
        return p + 9;
    }

    /// <summary>Reads an integer that must be in a range.</summary>
    public static byte* Ranged(byte* p, long least, long most, out long value)
    {
        value = (sbyte)*p;
        p = value >= -32 ? p + 1 : Int64Long(p, out value);
        if (value < least || value > most)
            BadData.OutOfRange("number of the field's type");
        return p;
    }
}
