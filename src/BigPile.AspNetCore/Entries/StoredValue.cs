using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace BigPile.AspNetCore.Entries;

/// <summary>The layout of a table's value that is served over HTTP: the content type in front of the payload.</summary>
/// <remarks>
/// <code>
/// byte  0       code of the content type in <see cref="MediaTypes"/>; 0: the type follows
/// byte  1       only with code 0: length L of the content type, 1 to 255
/// bytes 2..L+1  only with code 0: the content type in ASCII
/// then          the payload, to the end
/// </code>
/// </remarks>
internal static class StoredValue
{
    /// <summary>The most bytes in front of a payload.</summary>
    internal const int MaxHeadBytes = 2 + MediaTypes.MaxLength;

    /// <summary>Writes what stands in front of a payload.</summary>
    /// <param name="destination">Where it goes.</param>
    /// <param name="contentType">A content type that <see cref="MediaTypes.IsValid"/> accepts.</param>
    internal static void WriteHead(IBufferWriter<byte> destination, string contentType)
    {
        Span<byte> head = destination.GetSpan(MaxHeadBytes);
        head[0] = MediaTypes.CodeOf(contentType);
        if (head[0] != 0)
        {
            destination.Advance(1);
            return;
        }
        head[1] = (byte)contentType.Length;
        destination.Advance(2 + Encoding.ASCII.GetBytes(contentType, head[2..]));
    }

    /// <summary>Reads what stands in front of a payload.</summary>
    /// <param name="start">The value, or its first <see cref="MaxHeadBytes"/> bytes.</param>
    /// <param name="contentType">The payload's content type.</param>
    /// <param name="headBytes">Where the payload begins.</param>
    /// <returns><see langword="false"/> when the bytes have another layout: something else put them into the table.</returns>
    internal static bool TryReadHead(ReadOnlySpan<byte> start, [NotNullWhen(true)] out string? contentType, out int headBytes)
    {
        contentType = null;
        headBytes = 1;
        if (start.IsEmpty)
            return false;
        if (start[0] != 0)
        {
            contentType = MediaTypes.Find(start[0]);
            return contentType != null;
        }
        if (start.Length < 2 || start[1] == 0 || start.Length < 2 + start[1])
            return false;
        headBytes = 2 + start[1];
        contentType = Encoding.ASCII.GetString(start[2..headBytes]);
        return MediaTypes.IsValid(contentType);
    }
}
