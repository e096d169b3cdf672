using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

internal readonly unsafe struct BooleanFormat : ILeafFormat<bool>
{
    public static byte* Write(byte* p, bool value) => Encode.Boolean(p, value);

    public static byte* Read(byte* p, ref bool field, ReadContext c) => Decode.Boolean(p, ref field);
}

internal readonly unsafe struct SByteFormat : ILeafFormat<sbyte>
{
    public static byte* Write(byte* p, sbyte value) => Encode.SByte(p, value);

    public static byte* Read(byte* p, ref sbyte field, ReadContext c) => Decode.SByte(p, ref field);
}

internal readonly unsafe struct ByteFormat : ILeafFormat<byte>
{
    public static byte* Write(byte* p, byte value) => Encode.Byte(p, value);

    public static byte* Read(byte* p, ref byte field, ReadContext c) => Decode.Byte(p, ref field);
}

internal readonly unsafe struct Int16Format : ILeafFormat<short>
{
    public static byte* Write(byte* p, short value) => Encode.Int16(p, value);

    public static byte* Read(byte* p, ref short field, ReadContext c) => Decode.Int16(p, ref field);
}

internal readonly unsafe struct UInt16Format : ILeafFormat<ushort>
{
    public static byte* Write(byte* p, ushort value) => Encode.UInt16(p, value);

    public static byte* Read(byte* p, ref ushort field, ReadContext c) => Decode.UInt16(p, ref field);
}

internal readonly unsafe struct CharFormat : ILeafFormat<char>
{
    public static byte* Write(byte* p, char value) => Encode.Char(p, value);

    public static byte* Read(byte* p, ref char field, ReadContext c) => Decode.Char(p, ref field);
}

internal readonly unsafe struct Int32Format : ILeafFormat<int>
{
    public static byte* Write(byte* p, int value) => Encode.Int32(p, value);

    public static byte* Read(byte* p, ref int field, ReadContext c) => Decode.Int32(p, ref field);
}

internal readonly unsafe struct UInt32Format : ILeafFormat<uint>
{
    public static byte* Write(byte* p, uint value) => Encode.UInt32(p, value);

    public static byte* Read(byte* p, ref uint field, ReadContext c) => Decode.UInt32(p, ref field);
}

internal readonly unsafe struct Int64Format : ILeafFormat<long>
{
    public static byte* Write(byte* p, long value) => Encode.Int64(p, value);

    public static byte* Read(byte* p, ref long field, ReadContext c) => Decode.Int64(p, ref field);
}

internal readonly unsafe struct UInt64Format : ILeafFormat<ulong>
{
    public static byte* Write(byte* p, ulong value) => Encode.UInt64(p, value);

    public static byte* Read(byte* p, ref ulong field, ReadContext c) => Decode.UInt64(p, ref field);
}

internal readonly unsafe struct SingleFormat : ILeafFormat<float>
{
    public static byte* Write(byte* p, float value) => Encode.Single(p, value);

    public static byte* Read(byte* p, ref float field, ReadContext c) => Decode.Single(p, ref field);
}

internal readonly unsafe struct DoubleFormat : ILeafFormat<double>
{
    public static byte* Write(byte* p, double value) => Encode.Double(p, value);

    public static byte* Read(byte* p, ref double field, ReadContext c) => Decode.Double(p, ref field);
}

/// <summary>A <c>Half</c> as its raw bits: a conversion to float could change the bits of a NaN.</summary>
internal readonly unsafe struct HalfFormat : ILeafFormat<Half>
{
    public static byte* Write(byte* p, Half value) => Encode.UInt16(p, BitConverter.HalfToUInt16Bits(value));

    public static byte* Read(byte* p, ref Half field, ReadContext c) => Decode.UInt16(p, ref Unsafe.As<Half, ushort>(ref field));
}

/// <summary>A 128-bit number as 16 bytes of binary data, little-endian.</summary>
internal readonly unsafe struct WideFormat<T> : ILeafFormat<T>
    where T : unmanaged
{
    public static byte* Write(byte* p, T value)
    {
        p = Encode.BinHeader(p, sizeof(T));
        Unsafe.WriteUnaligned(p, value);
        return p + sizeof(T);
    }

    public static byte* Read(byte* p, ref T field, ReadContext c)
    {
        p = c.BinHeader(p, out int length);
        if (length != sizeof(T))
            BadData.Invalid($"a {typeof(T)} has {length} bytes");
        Debug.Assert(p + length <= c.End, "The header's length was checked against the payload's end.");
        field = Unsafe.ReadUnaligned<T>(p);
        return p + length;
    }
}

/// <summary>A decimal as its 16 raw bytes, which keep scale and trailing zeros.</summary>
internal readonly unsafe struct DecimalFormat : ILeafFormat<decimal>
{
    private const uint UnusedFlags = 0x7F00FFFF;
    private const uint ScaleMost = 28;

    public static byte* Write(byte* p, decimal value)
    {
        p[0] = Code.FixExt16;
        p[1] = (byte)ExtensionCode.Decimal;
        Unsafe.WriteUnaligned(p + 2, value);
        return p + 18;
    }

    public static byte* Read(byte* p, ref decimal field, ReadContext c)
    {
        if (p[0] != Code.FixExt16 || (sbyte)p[1] != ExtensionCode.Decimal)
            BadData.Unexpected(p[0], "a decimal");
        uint flags = BinaryPrimitives.ReadUInt32LittleEndian(new ReadOnlySpan<byte>(p + 2, sizeof(uint)));
        if ((flags & UnusedFlags) != 0 || ((flags >> 16) & 0xFF) > ScaleMost)
            BadData.OutOfRange("decimal");
        field = Unsafe.ReadUnaligned<decimal>(p + 2);
        return p + 18;
    }
}
