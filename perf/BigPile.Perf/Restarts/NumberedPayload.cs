using System;
using System.Buffers.Binary;

namespace BigPile.Perf.Restarts;

/// <summary>A self-checking payload: a number, and bytes that follow from it.</summary>
internal static class NumberedPayload
{
    private const ulong Multiplier = 0x9E3779B97F4A7C15;
    private const int MaxStackBytes = 1024;

    internal static void Fill(Span<byte> payload, ulong number)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(payload, number);
        ulong word = number;
        for (int i = 8; i + 8 <= payload.Length; i += 8)
        {
            word = word * Multiplier + 1;
            BinaryPrimitives.WriteUInt64LittleEndian(payload[i..], word);
        }
        payload[(payload.Length / 8 * 8)..].Fill((byte)number);
    }

    internal static ulong NumberOf(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadUInt64LittleEndian(payload);

    internal static bool IsWhole(ReadOnlySpan<byte> payload, int lengthBytes)
    {
        if (payload.Length != lengthBytes)
            return false;
        Span<byte> expected = lengthBytes <= MaxStackBytes ? stackalloc byte[lengthBytes] : new byte[lengthBytes];
        Fill(expected, NumberOf(payload));
        return payload.SequenceEqual(expected);
    }
}
