using System;
using System.Buffers;

namespace BigPile.Http.Protocol;

/// <summary>Decodes percent-encoding (RFC 3986, 2.1), each escape exactly once.</summary>
/// <remarks>
/// The server's own decoding is unusable: it leaves <c>%2F</c> and decodes <c>%252F</c> to the same text, so two keys become one.
/// </remarks>
internal static class PercentCoding
{
    /// <summary>Decodes a part of a request target.</summary>
    /// <param name="encoded">The encoded part; printable ASCII, as required of a target.</param>
    /// <param name="destination">The destination.</param>
    /// <param name="lengthBytes">The number of bytes written.</param>
    /// <returns>
    /// <see cref="OperationStatus.DestinationTooSmall"/> if the destination is too small; <see cref="OperationStatus.InvalidData"/> for an
    /// invalid escape or a character that is not printable.
    /// </returns>
    internal static OperationStatus Decode(ReadOnlySpan<char> encoded, Span<byte> destination, out int lengthBytes)
    {
        lengthBytes = 0;
        for (int at = 0; at < encoded.Length; lengthBytes++)
        {
            if (lengthBytes == destination.Length)
                return OperationStatus.DestinationTooSmall;
            int octet = OctetAt(encoded, ref at);
            if (octet < 0)
                return OperationStatus.InvalidData;
            destination[lengthBytes] = (byte)octet;
        }
        return OperationStatus.Done;
    }

    private static int OctetAt(ReadOnlySpan<char> encoded, ref int at)
    {
        char first = encoded[at++];
        if (first != '%')
            return first is > ' ' and <= '~' ? first : -1;
        if (encoded.Length - at < 2 || !char.IsAsciiHexDigit(encoded[at]) || !char.IsAsciiHexDigit(encoded[at + 1]))
            return -1;
        int octet = (HexValue(encoded[at]) << 4) | HexValue(encoded[at + 1]);
        at += 2;
        return octet;
    }

    private static int HexValue(char digit) => char.IsAsciiDigit(digit) ? digit - '0' : (digit | 0x20) - 'a' + 10;
}
