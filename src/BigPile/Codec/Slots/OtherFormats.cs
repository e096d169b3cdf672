using System;
using System.Numerics;
using System.Text;

namespace BigPile.Codec;

internal readonly unsafe struct RuneFormat : ILeafFormat<Rune>
{
    public static byte* Write(byte* p, Rune value) => Encode.Int32(p, value.Value);

    public static byte* Read(byte* p, ref Rune place, ReadContext c)
    {
        int value = 0;
        p = Decode.Int32(p, ref value);
        if (!Rune.TryCreate(value, out place))
            BadData.OutOfRange("Unicode scalar value");
        return p;
    }
}

/// <summary>A number of any size as the bytes of its two's complement, least significant first.</summary>
internal sealed unsafe class BigIntegerSlot : Slot
{
    private const int HeaderMaxBytes = 5;

    public override string? LeafName => "bigInteger";

    public override byte* Write(ref byte place, byte* p, WriteContext c)
    {
        ref BigInteger value = ref System.Runtime.CompilerServices.Unsafe.As<byte, BigInteger>(ref place);
        int length = value.GetByteCount();
        p = c.Reserve(p, length + HeaderMaxBytes);
        p = Encode.BinHeader(p, length);
        value.TryWriteBytes(new Span<byte>(p, length), out _);
        return p + length;
    }

    public override byte* Read(ref byte place, byte* p, ReadContext c)
    {
        p = c.BinHeader(p, out int length);
        System.Runtime.CompilerServices.Unsafe.As<byte, BigInteger>(ref place) = new BigInteger(new ReadOnlySpan<byte>(p, length));
        return p + length;
    }

    public override void Describe(DefinitionWriter definition) => definition.Text(LeafName!);
}
