using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>
/// A <c>DateTime</c>. One in UTC is MessagePack's timestamp; any other is stored by its raw bits, because a timestamp has no kind.
/// </summary>
internal readonly unsafe struct DateTimeFormat : ILeafFormat<DateTime>
{
    private const ulong TicksMask = (1UL << 62) - 1;

    // DateTime.MaxValue as a constant: reading the static field costs a check in generated code.
    private const ulong TicksMost = 3155378975999999999;

    public static byte* Write(byte* p, DateTime value)
    {
        if (value.Kind == DateTimeKind.Utc)
            return Timestamp.Write(p, value.Ticks);
        p[0] = Code.FixExt8;
        p[1] = (byte)ExtensionCode.DateTime;
        Unsafe.WriteUnaligned(p + 2, value);
        return p + 10;
    }

    public static byte* Read(byte* p, ref DateTime field, ReadContext c)
    {
        if (*(ushort*)p != (Code.FixExt8 | (ExtensionCode.DateTime << 8)))
            return Timestamp.ReadUtc(p, ref field);
        ulong bits = *(ulong*)(p + 2);
        if ((bits & TicksMask) > TicksMost)
            BadData.OutOfRange("date");
        field = Unsafe.BitCast<ulong, DateTime>(bits);
        return p + 10;
    }
}

/// <summary>A <c>DateTimeOffset</c>: the local time as a timestamp, and the offset in minutes.</summary>
internal readonly unsafe struct DateTimeOffsetFormat : ILeafFormat<DateTimeOffset>
{
    private const int OffsetMostMinutes = 14 * 60;

    public static byte* Write(byte* p, DateTimeOffset value)
    {
        *p = Code.FixArray | 2;
        p = Timestamp.Write(p + 1, value.Ticks);
        return Encode.Int32(p, (int)(value.Offset.Ticks / TimeSpan.TicksPerMinute));
    }

    public static byte* Read(byte* p, ref DateTimeOffset field, ReadContext c)
    {
        if (*p != (Code.FixArray | 2))
            BadData.Unexpected(*p, "a date with an offset");
        p = Timestamp.Read(p + 1, out long ticks);
        p = Decode.Ranged(p, -OffsetMostMinutes, OffsetMostMinutes, out long minutes);
        long utcTicks = ticks - minutes * TimeSpan.TicksPerMinute;
        if (utcTicks < 0 || utcTicks > DateTime.MaxValue.Ticks)
            BadData.OutOfRange("date with an offset");
        field = new DateTimeOffset(ticks, TimeSpan.FromMinutes(minutes));
        return p;
    }
}

internal readonly unsafe struct DateOnlyFormat : ILeafFormat<DateOnly>
{
    public static byte* Write(byte* p, DateOnly value) => Encode.Int32(p, value.DayNumber);

    public static byte* Read(byte* p, ref DateOnly field, ReadContext c)
    {
        p = Decode.Ranged(p, 0, DateOnly.MaxValue.DayNumber, out long day);
        field = DateOnly.FromDayNumber((int)day);
        return p;
    }
}

internal readonly unsafe struct TimeOnlyFormat : ILeafFormat<TimeOnly>
{
    public static byte* Write(byte* p, TimeOnly value) => Encode.Int64(p, value.Ticks);

    public static byte* Read(byte* p, ref TimeOnly field, ReadContext c)
    {
        p = Decode.Ranged(p, 0, TimeOnly.MaxValue.Ticks, out long ticks);
        field = new TimeOnly(ticks);
        return p;
    }
}

/// <summary>MessagePack's timestamp extension. Writes the shortest of its three formats.</summary>
internal static unsafe class Timestamp
{
    private const long SecondsToUnixEpoch = 62135596800;
    private const long SecondsMost = 253402300799;
    private const uint NanosecondsPerTick = 100;
    private const int SecondsBits = 34;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static byte* Write(byte* p, long ticks)
    {
        Debug.Assert(ticks >= 0 && ticks <= DateTime.MaxValue.Ticks, "A reader refuses all other dates.");
        long whole = (long)((ulong)ticks / TimeSpan.TicksPerSecond);
        long seconds = whole - SecondsToUnixEpoch;
        ulong nanoseconds = (ulong)(ticks - whole * TimeSpan.TicksPerSecond) * NanosecondsPerTick;
        if (seconds >> SecondsBits != 0)
            return WriteWide(p, seconds, (uint)nanoseconds);
        ulong packed = nanoseconds << SecondsBits | (ulong)seconds;
        p[1] = unchecked((byte)ExtensionCode.Timestamp);
        if (packed <= uint.MaxValue)
        {
            p[0] = Code.FixExt4;
            *(uint*)(p + 2) = BinaryPrimitives.ReverseEndianness((uint)packed);
            return p + 6;
        }
        p[0] = Code.FixExt8;
        *(ulong*)(p + 2) = BinaryPrimitives.ReverseEndianness(packed);
        return p + 10;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static byte* Read(byte* p, out long ticks) => Parse(p, out ticks);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static byte* ReadUtc(byte* p, ref DateTime field)
    {
        p = Parse(p, out long ticks);
        field = new DateTime(ticks, DateTimeKind.Utc);
        return p;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Parse(byte* p, out long ticks)
    {
        switch (*p)
        {
            case Code.FixExt4 when (sbyte)p[1] == ExtensionCode.Timestamp:
                ticks = Ticks(BinaryPrimitives.ReverseEndianness(*(uint*)(p + 2)), 0);
                return p + 6;
            case Code.FixExt8 when (sbyte)p[1] == ExtensionCode.Timestamp:
                ulong packed = BinaryPrimitives.ReverseEndianness(*(ulong*)(p + 2));
                ticks = Ticks((long)(packed & ((1UL << SecondsBits) - 1)), (uint)(packed >> SecondsBits));
                return p + 10;
            case Code.Ext8 when p[1] == 12 && (sbyte)p[2] == ExtensionCode.Timestamp:
                uint nanoseconds = BinaryPrimitives.ReverseEndianness(*(uint*)(p + 3));
                ticks = Ticks(BinaryPrimitives.ReverseEndianness(*(long*)(p + 7)), nanoseconds);
                return p + 15;
            default:
                ticks = 0;
                BadData.Unexpected(*p, "a date");
                return p;
        }
    }

    private static byte* WriteWide(byte* p, long seconds, uint nanoseconds)
    {
        p[0] = Code.Ext8;
        p[1] = 12;
        p[2] = unchecked((byte)ExtensionCode.Timestamp);
        *(uint*)(p + 3) = BinaryPrimitives.ReverseEndianness(nanoseconds);
        *(long*)(p + 7) = BinaryPrimitives.ReverseEndianness(seconds);
        return p + 15;
    }

    private static long Ticks(long seconds, uint nanoseconds)
    {
        if (seconds < -SecondsToUnixEpoch || seconds > SecondsMost || nanoseconds >= 1_000_000_000)
            BadData.OutOfRange("date");
        return (seconds + SecondsToUnixEpoch) * TimeSpan.TicksPerSecond + nanoseconds / NanosecondsPerTick;
    }
}
