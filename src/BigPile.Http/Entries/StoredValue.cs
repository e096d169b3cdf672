using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>The layout of a stored value: content type and coding, then the payload.</summary>
/// <remarks>
/// <code>
/// byte  0       bits 6..0 code of the content type in <see cref="MediaTypes"/>, 0: the type follows; bit 7: the payload is compressed
/// byte  1       only with code 0: length L of the content type, 1 to 255
/// bytes 2..L+1  only with code 0: the content type in ASCII
/// next byte     only with bit 7: the <see cref="ContentCoding"/>, not 0
/// then          the payload, to the end
/// </code>
/// </remarks>
internal static class StoredValue
{
    internal const int MaxHeadBytes = 3 + MediaTypes.MaxLength;

    private const byte CompressedFlag = 0x80;

    /// <summary>Writes the head of a value.</summary>
    /// <param name="destination">Where it goes.</param>
    /// <param name="contentType">A content type that <see cref="MediaTypes.IsValid"/> accepts.</param>
    /// <param name="coding">How the payload is compressed.</param>
    internal static void WriteHead(IBufferWriter<byte> destination, string contentType, ContentCoding coding = ContentCoding.Identity)
    {
        Span<byte> head = destination.GetSpan(MaxHeadBytes);
        head[0] = MediaTypes.CodeOf(contentType);
        int length = 1;
        if (head[0] == 0)
        {
            head[1] = (byte)contentType.Length;
            length = 2 + Encoding.ASCII.GetBytes(contentType, head[2..]);
        }
        if (coding != ContentCoding.Identity)
        {
            head[0] |= CompressedFlag;
            head[length++] = (byte)coding;
        }
        destination.Advance(length);
    }

    /// <summary>Parses the head of a value.</summary>
    /// <param name="start">The value, or its first <see cref="MaxHeadBytes"/> bytes.</param>
    /// <param name="contentType">The payload's content type.</param>
    /// <param name="coding">How the payload is compressed.</param>
    /// <param name="headBytes">Where the payload begins.</param>
    /// <returns><see langword="false"/> if the bytes have another layout, because something else put them into the table.</returns>
    internal static bool TryReadHead(
        ReadOnlySpan<byte> start, [NotNullWhen(true)] out string? contentType, out ContentCoding coding, out int headBytes)
    {
        coding = ContentCoding.Identity;
        if (!TryReadType(start, out contentType, out headBytes))
            return false;
        if ((start[0] & CompressedFlag) == 0)
            return true;
        if (start.Length <= headBytes || start[headBytes] == 0 || !ContentCodings.IsKnown(start[headBytes]))
            return false;
        coding = (ContentCoding)start[headBytes++];
        return true;
    }

    private static bool TryReadType(ReadOnlySpan<byte> start, [NotNullWhen(true)] out string? contentType, out int endOffset)
    {
        contentType = null;
        endOffset = 1;
        if (start.IsEmpty)
            return false;
        byte code = (byte)(start[0] & ~CompressedFlag);
        if (code != 0)
        {
            contentType = MediaTypes.Find(code);
            return contentType != null;
        }
        if (start.Length < 2 || start[1] == 0 || start.Length < 2 + start[1])
            return false;
        endOffset = 2 + start[1];
        contentType = Encoding.ASCII.GetString(start[2..endOffset]);
        return MediaTypes.IsValid(contentType);
    }
}
