using System;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>The head of a stored value, without the text of the content type.</summary>
/// <param name="TypeCode">The code of the content type; 0: it is stored as text.</param>
/// <param name="Coding">How the payload is compressed.</param>
/// <param name="HeadBytes">Where the payload begins.</param>
internal readonly record struct StoredHead(int TypeCode, ContentCoding Coding, int HeadBytes)
{
    /// <summary>The highest possible code.</summary>
    internal const int MaxTypeCode = 0x7F;

    /// <summary>Parses a head whose content type is a code.</summary>
    /// <returns><see langword="false"/> if the type is text or unknown, or the bytes have another layout.</returns>
    internal static bool TryReadCoded(ReadOnlySpan<byte> start, out StoredHead head)
    {
        head = default;
        if (start.IsEmpty)
            return false;
        int code = start[0] & MaxTypeCode;
        if (MediaTypes.Find((byte)code) == null)
            return false;
        if (start[0] == code)
        {
            head = new StoredHead(code, ContentCoding.Identity, 1);
            return true;
        }
        if (start.Length < 2 || start[1] == 0 || !ContentCodings.IsKnown(start[1]))
            return false;
        head = new StoredHead(code, (ContentCoding)start[1], 2);
        return true;
    }
}
