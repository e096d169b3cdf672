using System;
using System.Buffers.Binary;
using System.Buffers.Text;
using BigPile.Caching;

namespace BigPile.Http.Bulk;

/// <summary>The position at which a key listing continues.</summary>
/// <remarks>Clients send it, so it may hold any value: a page costs the same from any position.</remarks>
/// <param name="Position">The position of the walk through the index.</param>
/// <param name="AfterVersion">At this position, entries up to this version were already returned.</param>
internal readonly record struct KeyCursor(ulong Position, ulong AfterVersion)
{
    private const int SizeBytes = 2 * sizeof(ulong) + sizeof(int);

    /// <summary>The cursor as text.</summary>
    /// <param name="origin">Identifies the table and the opening of the pile for which it is valid.</param>
    internal string Format(int origin)
    {
        Span<byte> bytes = stackalloc byte[SizeBytes];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, Position);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[8..], AfterVersion);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[16..], origin);
        return Base64Url.EncodeToString(bytes);
    }

    /// <summary>Parses a cursor.</summary>
    /// <returns><see langword="false"/> if it is invalid, or of another table or opening.</returns>
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
        return cursor.Position < CacheTable.EndOfWalk && BinaryPrimitives.ReadInt32LittleEndian(bytes[16..]) == origin;
    }
}
