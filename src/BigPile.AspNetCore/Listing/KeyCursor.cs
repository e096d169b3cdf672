using System;
using System.Buffers.Binary;
using System.Buffers.Text;

namespace BigPile.AspNetCore.Listing;

/// <summary>Where a walk through the keys of a table goes on.</summary>
/// <param name="Part">The part of the table, as the table numbers them.</param>
/// <param name="PartCount">The parts that there were at the start of the walk.</param>
/// <param name="AfterVersion">Of this part, the entries up to this version came already.</param>
internal readonly record struct KeyCursor(ulong Part, ulong PartCount, ulong AfterVersion)
{
    private const int SizeBytes = 3 * sizeof(ulong) + sizeof(int);

    /// <summary>The cursor as clients hold it.</summary>
    /// <param name="origin">The table and the opening of the pile that it is good for.</param>
    internal string Format(int origin)
    {
        Span<byte> bytes = stackalloc byte[SizeBytes];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, Part);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[8..], PartCount);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[16..], AfterVersion);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[24..], origin);
        return Base64Url.EncodeToString(bytes);
    }

    /// <summary>Reads a cursor.</summary>
    /// <returns><see langword="false"/> when it is none, or one of another table or opening.</returns>
    internal static bool TryParse(string text, int origin, out KeyCursor cursor)
    {
        cursor = default;
        Span<byte> bytes = stackalloc byte[SizeBytes];
        if (text.Length != Base64Url.GetEncodedLength(SizeBytes) || !Base64Url.TryDecodeFromChars(text, bytes, out int written) || written != SizeBytes)
            return false;
        cursor = new KeyCursor(
            BinaryPrimitives.ReadUInt64LittleEndian(bytes), BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[16..]));
        return BinaryPrimitives.ReadInt32LittleEndian(bytes[24..]) == origin;
    }
}
