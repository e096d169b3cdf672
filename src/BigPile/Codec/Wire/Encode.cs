using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>Writes numbers and headers in their smallest MessagePack form.</summary>
/// <remarks>
/// Nothing here checks for room: the buffer's slack covers the fields of an object. What is longer than about ten instructions is kept
/// out of line, because generated code that pulls it in costs ten times as much to compile.
/// </remarks>
internal static unsafe class Encode
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
        if ((uint)(value + 32) >= 160)
            return Int64Long(p, value);
        *p = (byte)value;
        return p + 1;
    }

    public static byte* UInt32(byte* p, uint value) => UInt64(p, value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Int64(byte* p, long value)
    {
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

    public static byte* ArrayHeader(byte* p, int count)
    {
        if (count < 16)
        {
            *p = (byte)(Code.FixArray | count);
            return p + 1;
        }
        return Sized(p, count, Code.Array16, Code.Array32);
    }

    /// <summary>The header of an array whose type the reader either knows (id 0) or finds as the first element.</summary>
    public static byte* ArrayHeader(byte* p, int count, int typeId)
    {
        if (typeId == 0)
            return ArrayHeader(p, count);
        p = ArrayHeader(p, checked(count + 1));
        return ShortExtension(p, ExtensionCode.TypeId, typeId);
    }

    public static byte* MapHeader(byte* p, int count)
    {
        if (count < 16)
        {
            *p = (byte)(Code.FixMap | count);
            return p + 1;
        }
        return Sized(p, count, Code.Map16, Code.Map32);
    }

    public static byte* BinHeader(byte* p, int lengthBytes)
    {
        if (lengthBytes > byte.MaxValue)
            return Sized(p, lengthBytes, Code.Bin16, Code.Bin32);
        p[0] = Code.Bin8;
        p[1] = (byte)lengthBytes;
        return p + 2;
    }

    public static byte* StringHeader(byte* p, int lengthBytes)
    {
        if (lengthBytes < 32)
        {
            *p = (byte)(Code.FixString | lengthBytes);
            return p + 1;
        }
        if (lengthBytes > byte.MaxValue)
            return Sized(p, lengthBytes, Code.Str16, Code.Str32);
        p[0] = Code.Str8;
        p[1] = (byte)lengthBytes;
        return p + 2;
    }

    public static byte* ExtensionHeader(byte* p, sbyte code, int lengthBytes)
    {
        if (lengthBytes > byte.MaxValue)
        {
            p = Sized(p, lengthBytes, Code.Ext16, Code.Ext32);
        }
        else if (lengthBytes is 1 or 2 or 4 or 8 or 16)
        {
            *p++ = (byte)(Code.FixExt1 + System.Numerics.BitOperations.Log2((uint)lengthBytes));
        }
        else
        {
            p[0] = Code.Ext8;
            p[1] = (byte)lengthBytes;
            p += 2;
        }
        *p = (byte)code;
        return p + 1;
    }

    /// <summary>An extension that holds one number in 1, 2 or 4 bytes.</summary>
    public static byte* ShortExtension(byte* p, sbyte code, int number)
    {
        p[1] = (byte)code;
        if (number <= byte.MaxValue)
        {
            p[0] = Code.FixExt1;
            p[2] = (byte)number;
            return p + 3;
        }
        bool isShort = number <= ushort.MaxValue;
        p[0] = isShort ? Code.FixExt2 : Code.FixExt4;
        *(int*)(p + 2) = number;
        return p + (isShort ? 4 : 6);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Sized(byte* p, int size, byte code16, byte code32)
    {
        if (size <= ushort.MaxValue)
        {
            *p = code16;
            *(ushort*)(p + 1) = BinaryPrimitives.ReverseEndianness((ushort)size);
            return p + 3;
        }
        *p = code32;
        *(uint*)(p + 1) = BinaryPrimitives.ReverseEndianness((uint)size);
        return p + 5;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Int64Long(byte* p, long value)
    {
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
