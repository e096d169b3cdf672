using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Memory;

namespace BigPile.Codec.Wire;

/// <summary>The limits of a payload that is being read, and the headers whose sizes must be checked before use.</summary>
internal abstract unsafe class PayloadReader : CacheLineIsolated
{
    private const int HeaderMaxBytes = 6;

    /// <summary>The end of the payload. The slack after it may be read, but a position after it means bad data.</summary>
    public byte* End;

    // Elements that headers may still claim. It starts at the payload's length in bytes, as each element takes at least one.
    private long _budget;

    /// <summary>Starts a payload without flags. All other state is clean: the previous payload has reset it.</summary>
    public void Begin(byte* end, int lengthBytes)
    {
        Debug.Assert(lengthBytes > 0, "The caller has refused an empty payload.");
        End = end;
        _budget = lengthBytes;
    }

    /// <summary>
    /// Subtracts the elements that a header claims from the budget: no header can claim more memory than the payload's length allows.
    /// </summary>
    public void Charge(long elements)
    {
        Debug.Assert(elements >= 0, "The caller has refused negative counts, and its product has not overflowed.");
        _budget -= elements;
        if (_budget < 0)
            BadData.OverBudget();
    }

    /// <summary>Checks that content of a given length ends within the payload.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Require(byte* p, long lengthBytes)
    {
        Debug.Assert(lengthBytes >= 0, "A header's length is not negative: Sized refuses such a number.");
        Debug.Assert(IsReadable(p), "What is read between two checks of the position fits into the slack.");
        if (End - p < lengthBytes)
            BadData.Truncated();
    }

    /// <summary>Whether a position is before the end of the slack, so that a header may be read there; for assertions.</summary>
    public bool IsReadable(byte* p) => p <= End + PileBuffer.SlackBytes - HeaderMaxBytes;

    /// <summary>Reads an array's header. The count is not charged: a caller compares it with a schema, or charges it itself.</summary>
    public byte* ArrayHeader(byte* p, out int count)
    {
        Debug.Assert(IsReadable(p), "What is read between two checks of the position fits into the slack.");
        byte code = *p;
        if (code is >= Code.FixArray and < Code.FixString)
        {
            count = code & 15;
            return p + 1;
        }
        if (code is not (Code.Array16 or Code.Array32))
            BadData.Unexpected(code, "an array");
        return Sized(p, code == Code.Array32, out count);
    }

    /// <summary>Reads a map's header, and charges both keys and values.</summary>
    public byte* MapHeader(byte* p, out int count)
    {
        Debug.Assert(IsReadable(p), "What is read between two checks of the position fits into the slack.");
        byte code = *p;
        if (code is >= Code.FixMap and < Code.FixArray)
        {
            count = code & 15;
            p++;
        }
        else
        {
            if (code is not (Code.Map16 or Code.Map32))
                BadData.Unexpected(code, "a map");
            p = Sized(p, code == Code.Map32, out count);
        }
        Charge(2L * count);
        return p;
    }

    public byte* BinHeader(byte* p, out int lengthBytes)
    {
        byte code = *p;
        if (code is not (Code.Bin8 or Code.Bin16 or Code.Bin32))
            BadData.Unexpected(code, "binary data");
        if (code == Code.Bin8)
        {
            lengthBytes = p[1];
            p += 2;
        }
        else
        {
            p = Sized(p, code == Code.Bin32, out lengthBytes);
        }
        Require(p, lengthBytes);
        return p;
    }

    public byte* StringHeader(byte* p, out int lengthBytes)
    {
        byte code = *p;
        if (!Code.IsString(code))
            BadData.Unexpected(code, "text");
        if (code < Code.Nil)
        {
            lengthBytes = code & 31;
            p++;
        }
        else if (code == Code.Str8)
        {
            lengthBytes = p[1];
            p += 2;
        }
        else
        {
            p = Sized(p, code == Code.Str32, out lengthBytes);
        }
        Require(p, lengthBytes);
        return p;
    }

    public byte* ExtensionHeader(byte* p, out sbyte extension, out int lengthBytes)
    {
        byte code = *p;
        if (!Code.IsExtension(code))
            BadData.Unexpected(code, "an extension");
        if (code is >= Code.FixExt1 and <= Code.FixExt16)
        {
            lengthBytes = 1 << (code - Code.FixExt1);
            p++;
        }
        else if (code == Code.Ext8)
        {
            lengthBytes = p[1];
            p += 2;
        }
        else
        {
            p = Sized(p, code == Code.Ext32, out lengthBytes);
        }
        extension = (sbyte)*p;
        Require(p + 1, lengthBytes);
        return p + 1;
    }

    public byte* ShortExtension(byte* p, sbyte expected, out uint number)
    {
        number = *p switch
        {
            Code.FixExt1 => p[2],
            Code.FixExt2 => *(ushort*)(p + 2),
            Code.FixExt4 => *(uint*)(p + 2),
            _ => uint.MaxValue,
        };
        if ((sbyte)p[1] != expected || number == uint.MaxValue)
            BadData.Unexpected(*p, "a number in an extension");
        Debug.Assert(*p is Code.FixExt1 or Code.FixExt2 or Code.FixExt4, "Any other first byte was refused.");
        p += 2 + (1 << (*p - Code.FixExt1));
        if (p > End)
            BadData.Truncated();
        return p;
    }

    /// <summary>Whether an array's first element is a type id.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsTypeId(byte* p) => *p is >= Code.FixExt1 and <= Code.FixExt4 && (sbyte)p[1] == ExtensionCode.TypeId;

    private byte* Sized(byte* p, bool isWide, out int size)
    {
        uint value = isWide ? BinaryPrimitives.ReverseEndianness(*(uint*)(p + 1)) : BinaryPrimitives.ReverseEndianness(*(ushort*)(p + 1));
        if (value > (uint)PileBuffer.MaxLengthBytes)
            BadData.OverBudget();
        size = (int)value;
        return p + (isWide ? 5 : 3);
    }
}
