using System;
using System.Buffers.Binary;
using System.Buffers.Text;
using BigPile.Caching.Index;

namespace BigPile.Http.Bulk;

/// <summary>Where a walk through the keys of a table goes on.</summary>
/// <remarks>Clients hold it, so it may say anything: a page costs the same wherever it begins.</remarks>
/// <param name="Place">The place of the walk.</param>
/// <param name="AfterVersion">At this very place, the entries up to this version came already.</param>
internal readonly record struct KeyCursor(ulong Place, ulong AfterVersion)
{
    private const int SizeBytes = 2 * sizeof(ulong) + sizeof(int);

    /// <summary>The cursor as clients hold it.</summary>
    /// <param name="origin">The table and the opening of the pile that it is good for.</param>
    internal string Format(int origin)
    {
        Span<byte> bytes = stackalloc byte[SizeBytes];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, Place);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[8..], AfterVersion);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[16..], origin);
        return Base64Url.EncodeToString(bytes);
    }

    /// <summary>Reads a cursor.</summary>
    /// <returns><see langword="false"/> when it is none, of another form, or of another table or opening.</returns>
    internal static bool TryParse(string text, int origin, out KeyCursor cursor)
    {
        cursor = default;
        Span<byte> bytes = stackalloc byte[SizeBytes];
        if (text.Length != Base64Url.GetEncodedLength(SizeBytes)
            || !Base64Url.TryDecodeFromChars(text, bytes, out int written) || written != SizeBytes)
        {
            return false;
        }
        cursor = new KeyCursor(BinaryPrimitives.ReadUInt64LittleEndian(bytes), BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]));
        return cursor.Place < WalkPlace.End && BinaryPrimitives.ReadInt32LittleEndian(bytes[16..]) == origin;
    }
}
