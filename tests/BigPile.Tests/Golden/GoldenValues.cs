using System;
using System.Linq;

namespace BigPile.Tests.Golden;

/// <summary>The values that the golden piles hold, by number. They are computed for ever in the same way.</summary>
internal static class GoldenValues
{
    internal const int Count = 400;

    /// <summary>The number from which on values are the replacements of others.</summary>
    internal const int FirstReplacement = 1_000;

    internal static object Of(int number) => (number % 10) switch
    {
        0 or 1 => Bytes(number, number % 300),
        2 => Bytes(number, number % 40 * 8), // fills its slot, so that the header has the checksum
        3 => new string((char)('a' + number % 26), number % 100),
        4 => "Größe " + number,
        5 => "lone \uD800 surrogate " + number,
        6 => Order(number),
        7 => Bytes(number, number % 9 * 800),
        8 => Bytes(number, number % 50 == 8 ? 30_000 + number * 100 : 0),
        _ => number % 100 == 9 ? Bytes(number, 140_000) : "",
    };

    internal static bool IsSame(object expected, object? found) => (expected, found) switch
    {
        (byte[] a, byte[] b) => a.AsSpan().SequenceEqual(b),
        (GoldenOrder a, GoldenOrder b) => a.Id == b.Id && a.Customer == b.Customer && a.Prices.SequenceEqual(b.Prices)
            && a.Previous == b.Previous && ReferenceEquals(b, b.Self),
        _ => expected.Equals(found),
    };

    private static byte[] Bytes(int number, int length)
    {
        var bytes = new byte[length];
        uint state = (uint)number * 2_654_435_761 + 1;
        for (int i = 0; i < length; i++)
        {
            state = state * 1_664_525 + 1_013_904_223;
            bytes[i] = i % 64 == 0 ? (byte)(state >> 24) : (byte)number; // so that it packs well
        }
        return bytes;
    }

    private static GoldenOrder Order(int number)
    {
        var order = new GoldenOrder
        {
            Id = number,
            Customer = "customer " + number,
            Prices = [number, number / 4m],
            Previous = PilePointer.FromUInt64((ulong)number << 3 | 1),
        };
        order.Self = order;
        return order;
    }
}
