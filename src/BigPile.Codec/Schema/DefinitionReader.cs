using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Schema;

/// <summary>Reads the few MessagePack formats that occur in a definition.</summary>
internal ref struct DefinitionReader(ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;

    public readonly bool IsAtEnd => _rest.IsEmpty;

    public readonly bool IsAtArray => !_rest.IsEmpty && Code.IsArray(_rest[0]);

    public readonly bool IsAtText => !_rest.IsEmpty && Code.IsString(_rest[0]);

    [DoesNotReturn]
    public static void Damaged() => throw new PileSchemaException("A schema in the catalog is damaged.");

    public int Array()
    {
        if (!IsAtArray)
            Damaged();
        byte code = Take(1)[0];
        long count = code switch
        {
            Code.Array16 => BinaryPrimitives.ReadUInt16BigEndian(Take(2)),
            Code.Array32 => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            _ => code & 15,
        };
        // Each element takes at least one byte.
        if (count > _rest.Length)
            Damaged();
        return (int)count;
    }

    public string Text()
    {
        if (!IsAtText)
            Damaged();
        byte code = Take(1)[0];
        long length = code switch
        {
            Code.Str8 => Take(1)[0],
            Code.Str16 => BinaryPrimitives.ReadUInt16BigEndian(Take(2)),
            Code.Str32 => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            _ => code & 31,
        };
        return Encoding.UTF8.GetString(Take(length));
    }

    public int Number()
    {
        byte code = Take(1)[0];
        long number = code switch
        {
            < Code.FixMap => code,
            Code.UInt8 => Take(1)[0],
            Code.UInt16 => BinaryPrimitives.ReadUInt16BigEndian(Take(2)),
            Code.UInt32 => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            _ => long.MaxValue,
        };
        if (number > int.MaxValue)
            Damaged();
        return (int)number;
    }

    private ReadOnlySpan<byte> Take(long count)
    {
        Debug.Assert(count >= 0, "Lengths are read without a sign.");
        if (count > _rest.Length)
            Damaged();
        ReadOnlySpan<byte> taken = _rest[..(int)count];
        _rest = _rest[(int)count..];
        return taken;
    }
}
