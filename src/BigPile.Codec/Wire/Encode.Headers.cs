using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Wire;

/// <content>Headers.</content>
internal static unsafe partial class Encode
{
    public static byte* ArrayHeader(byte* p, int count)
    {
        Debug.Assert(count >= 0, "A negative count would set bits of the code.");
        if (count < 16)
        {
            *p = (byte)(Code.FixArray | count);
            return p + 1;
        }
        return Sized(p, count, Code.Array16, Code.Array32);
    }

    /// <summary>Writes an array's header, and a type id as its first element unless the reader knows the type (id 0).</summary>
    public static byte* ArrayHeader(byte* p, int count, int typeId)
    {
        if (typeId == 0)
            return ArrayHeader(p, count);
        p = ArrayHeader(p, checked(count + 1));
        return ShortExtension(p, ExtensionCode.TypeId, typeId);
    }

    public static byte* MapHeader(byte* p, int count)
    {
        Debug.Assert(count >= 0, "A negative count would set bits of the code.");
        if (count < 16)
        {
            *p = (byte)(Code.FixMap | count);
            return p + 1;
        }
        return Sized(p, count, Code.Map16, Code.Map32);
    }

    public static byte* BinHeader(byte* p, int lengthBytes)
    {
        Debug.Assert(lengthBytes >= 0, "A negative length would be written as its lowest byte.");
        if (lengthBytes > byte.MaxValue)
            return Sized(p, lengthBytes, Code.Bin16, Code.Bin32);
        p[0] = Code.Bin8;
        p[1] = (byte)lengthBytes;
        return p + 2;
    }

    public static byte* StringHeader(byte* p, int lengthBytes)
    {
        Debug.Assert(lengthBytes >= 0, "A negative length would set bits of the code.");
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
        Debug.Assert(lengthBytes >= 0, "A negative length would be written as its lowest byte.");
        if (lengthBytes > byte.MaxValue)
        {
            p = Sized(p, lengthBytes, Code.Ext16, Code.Ext32);
        }
        else if (lengthBytes is 1 or 2 or 4 or 8 or 16)
        {
            *p++ = (byte)(Code.FixExt1 + BitOperations.Log2((uint)lengthBytes));
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

    /// <summary>Writes an extension that holds one number in 1, 2 or 4 bytes.</summary>
    public static byte* ShortExtension(byte* p, sbyte code, int number)
    {
        Debug.Assert(number >= 0, "Type ids, objects' numbers and comparers' codes are not negative.");
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
        Debug.Assert(code32 == code16 + 1, "Both codes are of the same format.");
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
}
