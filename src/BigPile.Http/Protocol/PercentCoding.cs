using System;
using System.Buffers;

namespace BigPile.Http.Protocol;

/// <summary>Undoes percent-encoding (RFC 3986, 2.1), each escape exactly once.</summary>
/// <remarks>
/// The server's own decoding of a path can't be used: it leaves <c>%2F</c> as it is and turns <c>%252F</c> into the same, so that two keys
/// become one.
/// </remarks>
internal static class PercentCoding
{
    /// <summary>Decodes a part of a request's target.</summary>
    /// <param name="encoded">The part; printable ASCII, as a target must be.</param>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="lengthBytes">How many were written.</param>
    /// <returns>
    /// <see cref="OperationStatus.DestinationTooSmall"/> when there are more bytes than room,
    /// <see cref="OperationStatus.InvalidData"/> when something is no escape and no printable character.
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
