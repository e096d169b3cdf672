using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Wire;

/// <summary>Writes numbers and headers in their smallest MessagePack format.</summary>
/// <remarks>
/// Nothing here checks the capacity: the buffer's slack is enough for the fixed-size fields of an object. Methods of more than about ten
/// instructions are not inlined, because generated code that inlines them takes ten times as long to compile.
/// </remarks>
internal static unsafe partial class Encode
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Boolean(byte* p, bool value)
    {
        *p = value ? Code.True : Code.False;
        return p + 1;
    }

    public static byte* SByte(byte* p, sbyte value) => Int32(p, value);

    public static byte* Byte(byte* p, byte value) => Int32(p, value);

    public static byte* Int16(byte* p, short value) => Int32(p, value);

    public static byte* UInt16(byte* p, ushort value) => Int32(p, value);

    public static byte* Char(byte* p, char value) => Int32(p, value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Int32(byte* p, int value)
    {
        // -32 to 127 are one byte: the value itself.
        if ((uint)(value + 32) >= 160)
            return Int64Long(p, value);
        *p = (byte)value;
        return p + 1;
    }

    public static byte* UInt32(byte* p, uint value) => UInt64(p, value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Int64(byte* p, long value)
    {
        // -32 to 127 are one byte: the value itself.
        if ((ulong)(value + 32) >= 160)
            return Int64Long(p, value);
        *p = (byte)value;
        return p + 1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* UInt64(byte* p, ulong value)
    {
        if (value >= 128)
            return UInt64Long(p, value);
        *p = (byte)value;
        return p + 1;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Single(byte* p, float value)
    {
        *p = Code.Float32;
        *(uint*)(p + 1) = BinaryPrimitives.ReverseEndianness(BitConverter.SingleToUInt32Bits(value));
        return p + 5;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Double(byte* p, double value)
    {
        *p = Code.Float64;
        *(ulong*)(p + 1) = BinaryPrimitives.ReverseEndianness(BitConverter.DoubleToUInt64Bits(value));
        return p + 9;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Int64Long(byte* p, long value)
    {
        Debug.Assert(value is < -32 or > 127, "The caller has written a short number as one byte: equal keys have equal bytes.");
        if (value >= 0)
            return UInt64Long(p, (ulong)value);
        if (value >= sbyte.MinValue)
        {
            p[0] = Code.Int8;
            p[1] = (byte)value;
            return p + 2;
        }
        if (value >= short.MinValue)
        {
            *p = Code.Int16;
            *(short*)(p + 1) = BinaryPrimitives.ReverseEndianness((short)value);
            return p + 3;
        }
        if (value >= int.MinValue)
        {
            *p = Code.Int32;
            *(int*)(p + 1) = BinaryPrimitives.ReverseEndianness((int)value);
            return p + 5;
        }
        *p = Code.Int64;
        *(long*)(p + 1) = BinaryPrimitives.ReverseEndianness(value);
        return p + 9;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* UInt64Long(byte* p, ulong value)
    {
        Debug.Assert(value > 127, "The caller has written a short number as one byte: equal keys have equal bytes.");
        if (value <= byte.MaxValue)
        {
            p[0] = Code.UInt8;
            p[1] = (byte)value;
            return p + 2;
        }
        if (value <= ushort.MaxValue)
        {
            *p = Code.UInt16;
            *(ushort*)(p + 1) = BinaryPrimitives.ReverseEndianness((ushort)value);
            return p + 3;
        }
        if (value <= uint.MaxValue)
        {
            *p = Code.UInt32;
            *(uint*)(p + 1) = BinaryPrimitives.ReverseEndianness((uint)value);
            return p + 5;
        }
        *p = Code.UInt64;
        *(ulong*)(p + 1) = BinaryPrimitives.ReverseEndianness(value);
        return p + 9;
    }
}
