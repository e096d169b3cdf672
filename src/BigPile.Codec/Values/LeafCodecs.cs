using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Values;

/// <summary>The leaf codecs: those of value types that the library has a format for.</summary>
internal static class LeafCodecs
{
    private static readonly Dictionary<Type, FieldCodec> ByType = new()
    {
        [typeof(bool)] = new LeafCodec<bool, BooleanFormat>("boolean", FieldKind.Boolean),
        [typeof(sbyte)] = new LeafCodec<sbyte, SByteFormat>("int8", FieldKind.SByte),
        [typeof(byte)] = new LeafCodec<byte, ByteFormat>("uint8", FieldKind.Byte),
        [typeof(short)] = new LeafCodec<short, Int16Format>("int16", FieldKind.Int16),
        [typeof(ushort)] = new LeafCodec<ushort, UInt16Format>("uint16", FieldKind.UInt16),
        [typeof(int)] = new LeafCodec<int, Int32Format>("int32", FieldKind.Int32),
        [typeof(uint)] = new LeafCodec<uint, UInt32Format>("uint32", FieldKind.UInt32),
        [typeof(long)] = new LeafCodec<long, Int64Format>("int64", FieldKind.Int64),
        [typeof(ulong)] = new LeafCodec<ulong, UInt64Format>("uint64", FieldKind.UInt64),
        [typeof(float)] = new LeafCodec<float, SingleFormat>("float32", FieldKind.Single),
        [typeof(double)] = new LeafCodec<double, DoubleFormat>("float64", FieldKind.Double),
        [typeof(char)] = new LeafCodec<char, CharFormat>("char", FieldKind.Char),
        [typeof(Half)] = new LeafCodec<Half, HalfFormat>("float16", FieldKind.Half),
        [typeof(Int128)] = new LeafCodec<Int128, WideFormat<Int128>>("int128"),
        [typeof(UInt128)] = new LeafCodec<UInt128, WideFormat<UInt128>>("uint128"),
        [typeof(Guid)] = new LeafCodec<Guid, WideFormat<Guid>>("guid"),
        [typeof(decimal)] = new LeafCodec<decimal, DecimalFormat>("decimal"),
        [typeof(DateTime)] = new LeafCodec<DateTime, DateTimeFormat>("dateTime", FieldKind.DateTime),
        [typeof(DateTimeOffset)] = new LeafCodec<DateTimeOffset, DateTimeOffsetFormat>("dateTimeOffset"),
        // Read and written as a number: every 64-bit number is a valid count of ticks.
        [typeof(TimeSpan)] = new LeafCodec<long, Int64Format>("timeSpan", FieldKind.Int64),
        [typeof(DateOnly)] = new LeafCodec<DateOnly, DateOnlyFormat>("dateOnly"),
        [typeof(TimeOnly)] = new LeafCodec<TimeOnly, TimeOnlyFormat>("timeOnly"),
        [typeof(Rune)] = new LeafCodec<Rune, RuneFormat>("rune"),
        [typeof(BigInteger)] = new BigIntegerCodec(),
        [typeof(Memory<byte>)] = new ByteMemoryCodec("memory"),
        [typeof(ReadOnlyMemory<byte>)] = new ByteMemoryCodec("readOnlyMemory"),
        [typeof(JsonElement)] = new JsonElementCodec(),
        [typeof(PilePointer)] = new LeafCodec<PilePointer, PointerFormat>("pilePointer"),
    };

    public static IReadOnlyDictionary<Type, FieldCodec> All => ByType;

    public static IReadOnlyCollection<Type> Types => ByType.Keys;

    /// <summary>Whether a type's values are self-contained: no other object can change them.</summary>
    public static bool IsPrimitive(Type type) =>
        ByType.ContainsKey(type) && type != typeof(Memory<byte>) && type != typeof(ReadOnlyMemory<byte>) && type != typeof(JsonElement);

    public static bool TryGet(Type type, out FieldCodec? codec) => ByType.TryGetValue(type, out codec);
}

/// <summary>
/// The codec of <c>Memory</c> and <c>ReadOnlyMemory</c> of bytes: binary data. A value read back is backed by an array of its own.
/// </summary>
internal sealed unsafe class ByteMemoryCodec(string name) : FieldCodec
{
    public override string? LeafName => name;

    // Memory and ReadOnlyMemory have the same layout.
    public override byte* Write(ref byte field, byte* p, WriteContext c) =>
        Blob.Write(Unsafe.As<byte, ReadOnlyMemory<byte>>(ref field).Span, FieldKind.Byte, p, c);

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        p = c.BinHeader(p, out int length);
        Debug.Assert(p + length <= c.End, "The header's length was checked against the payload's end.");
        Unsafe.As<byte, ReadOnlyMemory<byte>>(ref field) = new ReadOnlySpan<byte>(p, length).ToArray();
        return p + length;
    }

    public override void Describe(DefinitionWriter definition) => definition.Text(name);
}
