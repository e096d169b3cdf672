using System;
using System.Buffers.Binary;
using System.Globalization;

namespace BigPile.Perf.FullPiles;

/// <summary>Keys and values by number. A value has 100 bytes to 4 KiB, each power of two as often, and begins with its number.</summary>
internal static class FullValues
{
    internal const int MeanEntryBytes = 1_120; // with key, header and slack
    internal const int MaxBytes = 4096;

    private const int MinBytes = 100;
    private const double Scale = 1.0 / (1L << 32);

    internal static string KeyOf(int number) => string.Create(CultureInfo.InvariantCulture, $"key:{number}");

    internal static int LengthOf(int number) =>
        (int)(MinBytes * Math.Pow((double)MaxBytes / MinBytes, unchecked((uint)number * 2_654_435_761) * Scale));

    internal static byte[] Make(int number)
    {
        var value = new byte[LengthOf(number)];
        _ = Write(number, value);
        return value;
    }

    /// <summary>Writes a value at the start of a buffer.</summary>
    /// <returns>The value.</returns>
    internal static ReadOnlySpan<byte> Write(int number, Span<byte> buffer)
    {
        BinaryPrimitives.WriteInt32LittleEndian(buffer, number);
        return buffer[..LengthOf(number)];
    }

    internal static bool IsOf(int number, ReadOnlySpan<byte> value) =>
        value.Length == LengthOf(number) && BinaryPrimitives.ReadInt32LittleEndian(value) == number;

    /// <summary>Fails the load where a value is not that of its number.</summary>
    internal static void Check(int number, ReadOnlySpan<byte> value)
    {
        if (!IsOf(number, value))
            throw new LoadException($"The key {KeyOf(number)} came back with another value. The table is at fault.");
    }
}
