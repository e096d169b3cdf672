using System;
using System.Diagnostics;
using System.Numerics;
using System.Text;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

internal readonly unsafe struct RuneFormat : ILeafFormat<Rune>
{
    public static byte* Write(byte* p, Rune value) => Encode.Int32(p, value.Value);

    public static byte* Read(byte* p, ref Rune field, ReadContext c)
    {
        int value = 0;
        p = Decode.Int32(p, ref value);
        if (!Rune.TryCreate(value, out field))
            BadData.OutOfRange("Unicode scalar value");
        return p;
    }
}

/// <summary>A pile pointer as an extension of 8 bytes. Whether it names an object is not checked.</summary>
internal readonly unsafe struct PointerFormat : ILeafFormat<PilePointer>
{
    public static byte* Write(byte* p, PilePointer value)
    {
        p[0] = Code.FixExt8;
        p[1] = (byte)ExtensionCode.Pointer;
        *(ulong*)(p + 2) = value.ToUInt64();
        return p + 10;
    }

    public static byte* Read(byte* p, ref PilePointer field, ReadContext c)
    {
        if (p[0] != Code.FixExt8 || (sbyte)p[1] != ExtensionCode.Pointer)
            BadData.Unexpected(p[0], "a pile pointer");
        field = PilePointer.FromUInt64(*(ulong*)(p + 2));
        return p + 10;
    }
}

/// <summary>A <c>BigInteger</c> as the bytes of its two's complement, least significant first.</summary>
internal sealed unsafe class BigIntegerCodec : FieldCodec
{
    private const int HeaderMaxBytes = 5;

    public override string? LeafName => "bigInteger";

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        ref BigInteger value = ref System.Runtime.CompilerServices.Unsafe.As<byte, BigInteger>(ref field);
        int length = value.GetByteCount();
        p = c.Reserve(p, length + HeaderMaxBytes);
        p = Encode.BinHeader(p, length);
        bool isWritten = value.TryWriteBytes(new Span<byte>(p, length), out int written);
        Debug.Assert(isWritten && written == length, "The number takes as many bytes as were counted.");
        return p + length;
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        p = c.BinHeader(p, out int length);
        Debug.Assert(p + length <= c.End, "The header's length was checked against the payload's end.");
        System.Runtime.CompilerServices.Unsafe.As<byte, BigInteger>(ref field) = new BigInteger(new ReadOnlySpan<byte>(p, length));
        return p + length;
    }

    public override void Describe(DefinitionWriter definition) => definition.Text(LeafName!);
}
