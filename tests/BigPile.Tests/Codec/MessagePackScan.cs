using System;
using System.Buffers.Binary;

namespace BigPile.Tests.Codec;

/// <summary>A MessagePack reader that is independent of the codec: it steps from value to value.</summary>
internal static class MessagePackScan
{
    /// <summary>Skips one value's own bytes, and returns how many values it contains.</summary>
    public static long Next(ref ReadOnlySpan<byte> rest)
    {
        byte code = rest[0];
        (int bytes, long inner) = code switch
        {
            < 0x80 or >= 0xe0 => (1, 0L),
            < 0x90 => (1, 2L * (code & 15)),
            < 0xa0 => (1, code & 15),
            < 0xc0 => (1 + (code & 31), 0),
            0xc0 or 0xc2 or 0xc3 => (1, 0),
            0xc4 or 0xd9 => (2 + rest[1], 0),
            0xc5 or 0xda => (3 + BinaryPrimitives.ReadUInt16BigEndian(rest[1..]), 0),
            0xc6 or 0xdb => (5 + BinaryPrimitives.ReadInt32BigEndian(rest[1..]), 0),
            0xc7 => (3 + rest[1], 0),
            0xc8 => (4 + BinaryPrimitives.ReadUInt16BigEndian(rest[1..]), 0),
            0xc9 => (6 + BinaryPrimitives.ReadInt32BigEndian(rest[1..]), 0),
            0xca or 0xce or 0xd2 => (5, 0),
            0xcb or 0xcf or 0xd3 => (9, 0),
            0xcc or 0xd0 => (2, 0),
            0xcd or 0xd1 => (3, 0),
            >= 0xd4 and <= 0xd8 => (2 + (1 << (code - 0xd4)), 0),
            0xdc => (3, BinaryPrimitives.ReadUInt16BigEndian(rest[1..])),
            0xdd => (5, BinaryPrimitives.ReadUInt32BigEndian(rest[1..])),
            0xde => (3, 2L * BinaryPrimitives.ReadUInt16BigEndian(rest[1..])),
            0xdf => (5, 2L * BinaryPrimitives.ReadUInt32BigEndian(rest[1..])),
            _ => throw new InvalidOperationException($"0xc1 or worse: {code:x2}"),
        };
        rest = rest[bytes..];
        return inner;
    }
}
