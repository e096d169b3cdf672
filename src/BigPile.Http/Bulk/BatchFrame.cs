using System;
using System.Buffers.Binary;

namespace BigPile.Http.Bulk;

/// <summary>The head of an item in <c>application/vnd.bigpile.batch</c>; followed by key, content type and payload.</summary>
/// <remarks>
/// <code>
/// bytes 0..3    P, the bytes of the payload
/// bytes 4..5    K, the bytes of the key; 0 in answers, whose items come in the order of the request
/// byte  6       C, the bytes of the content type
/// byte  7       how the payload is compressed: 0 not, 1 gzip, 2 br, 3 deflate
/// bytes 8..9    status as in HTTP: 200, 201, 204, 400, 404, 409, 413, 507; 0 in requests
/// bytes 10..11  0
/// bytes 12..15  seconds that the entry lives, rounded up; 0: without an end in answers, as the request or the table says in requests
/// bytes 16..23  version of the entry, which is its ETag as a number; 0 in requests
/// then          K bytes of key in UTF-8, C bytes of content type in ASCII, P bytes of payload
/// </code>
/// Little-endian. Items follow each other without separators, to the end of the body.
/// </remarks>
internal readonly record struct BatchFrame(
    int PayloadBytes, int KeyBytes, int TypeBytes, byte Coding, int Status, uint LifetimeSeconds, ulong Version)
{
    internal const int HeadBytes = 24;

    /// <summary>The bytes after the head.</summary>
    internal long RestBytes => (long)KeyBytes + TypeBytes + PayloadBytes;

    /// <summary>Parses a head.</summary>
    /// <returns><see langword="false"/> if the bytes are too few or invalid.</returns>
    internal static bool TryRead(ReadOnlySpan<byte> source, out BatchFrame frame)
    {
        frame = default;
        if (source.Length < HeadBytes)
            return false;
        uint payloadBytes = BinaryPrimitives.ReadUInt32LittleEndian(source);
        frame = new BatchFrame(
            (int)Math.Min(payloadBytes, int.MaxValue), BinaryPrimitives.ReadUInt16LittleEndian(source[4..]), source[6], source[7],
            BinaryPrimitives.ReadUInt16LittleEndian(source[8..]), BinaryPrimitives.ReadUInt32LittleEndian(source[12..]),
            BinaryPrimitives.ReadUInt64LittleEndian(source[16..]));
        return payloadBytes <= int.MaxValue && BinaryPrimitives.ReadUInt16LittleEndian(source[10..]) == 0;
    }

    internal void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(destination, (uint)PayloadBytes);
        BinaryPrimitives.WriteUInt16LittleEndian(destination[4..], (ushort)KeyBytes);
        destination[6] = (byte)TypeBytes;
        destination[7] = Coding;
        BinaryPrimitives.WriteUInt32LittleEndian(destination[8..], (ushort)Status);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[12..], LifetimeSeconds);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[16..], Version);
    }
}
