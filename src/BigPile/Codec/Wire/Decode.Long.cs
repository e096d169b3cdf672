using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <content>The forms that take more than one byte, or that another kind of number has.</content>
internal static unsafe partial class Decode
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Int32Long(byte* p, ref int place)
    {
        p = Int64Long(p, out long value);
        if (value != (int)value)
            BadData.OutOfRange("32-bit integer");
        place = (int)value;
        return p;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Int64Long(byte* p, out long value)
    {
        switch (*p)
        {
            case Code.UInt8:
                value = p[1];
                return p + 2;
            case Code.UInt16:
                value = BinaryPrimitives.ReverseEndianness(*(ushort*)(p + 1));
                return p + 3;
            case Code.UInt32:
                value = BinaryPrimitives.ReverseEndianness(*(uint*)(p + 1));
                return p + 5;
            case Code.Int8:
                value = (sbyte)p[1];
                return p + 2;
            case Code.Int16:
                value = BinaryPrimitives.ReverseEndianness(*(short*)(p + 1));
                return p + 3;
            case Code.Int32:
                value = BinaryPrimitives.ReverseEndianness(*(int*)(p + 1));
                return p + 5;
            case Code.UInt64 or Code.Int64:
                value = BinaryPrimitives.ReverseEndianness(*(long*)(p + 1));
                if (*p == Code.UInt64 && value < 0)
                    BadData.OutOfRange("64-bit integer");
                return p + 9;
            default:
                value = 0;
                BadData.Unexpected(*p, "an integer");
                return p;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* SingleLong(byte* p, ref float place)
    {
        double value = 0;
        p = Double(p, ref value);
        place = (float)value;
        return p;
    }

    // A field that once was a float or an integer may be a double by now.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* DoubleLong(byte* p, ref double place)
    {
        if (*p == Code.Float32)
        {
            place = BitConverter.UInt32BitsToSingle(BinaryPrimitives.ReverseEndianness(*(uint*)(p + 1)));
            return p + 5;
        }
        if (*p == Code.UInt64)
        {
            place = BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 1));
            return p + 9;
        }
        long whole = (sbyte)*p;
        p = whole >= -32 ? p + 1 : Int64Long(p, out whole);
        place = whole;
        return p;
    }
}
