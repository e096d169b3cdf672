using System;
using System.Collections.Generic;
using System.Numerics;
using System.Text;
using System.Text.Json;
using BigPile.Codec.Graph;

namespace BigPile.Codec.Slots;

/// <summary>The slots of the value types that the codec knows by itself.</summary>
internal static class LeafSlots
{
    private static readonly Dictionary<Type, Slot> ByType = new()
    {
        [typeof(bool)] = new LeafSlot<bool, BooleanFormat>("boolean", SlotKind.Boolean),
        [typeof(sbyte)] = new LeafSlot<sbyte, SByteFormat>("int8", SlotKind.SByte),
        [typeof(byte)] = new LeafSlot<byte, ByteFormat>("uint8", SlotKind.Byte),
        [typeof(short)] = new LeafSlot<short, Int16Format>("int16", SlotKind.Int16),
        [typeof(ushort)] = new LeafSlot<ushort, UInt16Format>("uint16", SlotKind.UInt16),
        [typeof(int)] = new LeafSlot<int, Int32Format>("int32", SlotKind.Int32),
        [typeof(uint)] = new LeafSlot<uint, UInt32Format>("uint32", SlotKind.UInt32),
        [typeof(long)] = new LeafSlot<long, Int64Format>("int64", SlotKind.Int64),
        [typeof(ulong)] = new LeafSlot<ulong, UInt64Format>("uint64", SlotKind.UInt64),
        [typeof(float)] = new LeafSlot<float, SingleFormat>("float32", SlotKind.Single),
        [typeof(double)] = new LeafSlot<double, DoubleFormat>("float64", SlotKind.Double),
        [typeof(char)] = new LeafSlot<char, CharFormat>("char", SlotKind.Char),
        [typeof(Half)] = new LeafSlot<Half, HalfFormat>("float16", SlotKind.Half),
        [typeof(Int128)] = new LeafSlot<Int128, WideFormat<Int128>>("int128"),
        [typeof(UInt128)] = new LeafSlot<UInt128, WideFormat<UInt128>>("uint128"),
        [typeof(Guid)] = new LeafSlot<Guid, WideFormat<Guid>>("guid"),
        [typeof(decimal)] = new LeafSlot<decimal, DecimalFormat>("decimal"),
        [typeof(DateTime)] = new LeafSlot<DateTime, DateTimeFormat>("dateTime", SlotKind.DateTime),
        [typeof(DateTimeOffset)] = new LeafSlot<DateTimeOffset, DateTimeOffsetFormat>("dateTimeOffset"),
        // Every 64-bit number is a valid count of ticks.
        [typeof(TimeSpan)] = new LeafSlot<long, Int64Format>("timeSpan", SlotKind.Int64),
        [typeof(DateOnly)] = new LeafSlot<DateOnly, DateOnlyFormat>("dateOnly"),
        [typeof(TimeOnly)] = new LeafSlot<TimeOnly, TimeOnlyFormat>("timeOnly"),
        [typeof(Rune)] = new LeafSlot<Rune, RuneFormat>("rune"),
        [typeof(BigInteger)] = new BigIntegerSlot(),
        [typeof(Memory<byte>)] = new MemorySlot("memory"),
        [typeof(ReadOnlyMemory<byte>)] = new MemorySlot("readOnlyMemory"),
        [typeof(JsonElement)] = new JsonElementSlot(),
        [typeof(PilePointer)] = new LeafSlot<PilePointer, PointerFormat>("pilePointer"),
    };

    public static IReadOnlyDictionary<Type, Slot> All => ByType;

    public static IReadOnlyCollection<Type> Types => ByType.Keys;

    /// <summary>Whether a type's values are data of their own, which no other object can change.</summary>
    public static bool IsPrimitive(Type type) =>
        ByType.ContainsKey(type) && type != typeof(Memory<byte>) && type != typeof(ReadOnlyMemory<byte>) && type != typeof(JsonElement);

    public static bool TryGet(Type type, out Slot? slot) => ByType.TryGetValue(type, out slot);
}
