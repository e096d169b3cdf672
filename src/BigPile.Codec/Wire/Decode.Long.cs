using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Wire;

/// <content>The slow paths: numbers of more than one byte, and numbers in another format than the field's.</content>
internal static unsafe partial class Decode
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Int32Long(byte* p, ref int target)
    {
        p = Int64Long(p, out long value);
        if (value != (int)value)
            BadData.OutOfRange("32-bit integer");
        target = (int)value;
        return p;
    }

    // The codes for 1, 2, 4 and 8 bytes are consecutive: first the unsigned ones, then the signed ones. So the width is computed and not
    // branched on: it differs from number to number, and the branch would be mispredicted.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* Int64Long(byte* p, out long value)
    {
        Debug.Assert((sbyte)*p < -32, "The caller has read a number of one byte.");
        uint form = (uint)*p - Code.UInt8;
        if (form > Code.Int64 - Code.UInt8)
            BadData.Unexpected(*p, "an integer");
        int lengthBytes = 1 << (int)(form & 3);
        int unusedBits = 64 - 8 * lengthBytes;
        ulong bits = BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 1));
        value = form >= Code.Int8 - Code.UInt8 ? (long)bits >> unusedBits : (long)(bits >> unusedBits);
        if (value < 0 && form == Code.UInt64 - Code.UInt8)
            BadData.OutOfRange("64-bit integer");
        return p + 1 + lengthBytes;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* SingleLong(byte* p, ref float target)
    {
        Debug.Assert(*p != Code.Float32, "The caller has read a float itself: as a double it could lose bits of a NaN.");
        double value = 0;
        p = Double(p, ref value);
        target = (float)value;
        return p;
    }

    // The stored field may have been a float or an integer: the class has changed since.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* DoubleLong(byte* p, ref double target)
    {
        Debug.Assert(*p != Code.Float64, "The caller has read a double itself.");
        if (*p == Code.Float32)
        {
            target = BitConverter.UInt32BitsToSingle(BinaryPrimitives.ReverseEndianness(*(uint*)(p + 1)));
            return p + 5;
        }
        if (*p == Code.UInt64)
        {
            target = BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 1));
            return p + 9;
        }
        long whole = (sbyte)*p;
        p = whole >= -32 ? p + 1 : Int64Long(p, out whole);
        target = whole;
        return p;
    }
}
