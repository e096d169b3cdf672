using System;
using System.Text;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Persistence;

/// <summary>A table's record in the catalog.</summary>
/// <param name="Id">The id in the heads of its entries.</param>
/// <param name="Name">Its name.</param>
/// <param name="KeyKind">The kind of its keys.</param>
/// <param name="FormerUpTo">The version up to which entries of the id belong to a dropped table; 0: there was none.</param>
/// <remarks>
/// <code>
/// byte  0    format of the entries, with bit 7 set
/// byte  1    kind of the keys
/// bytes 2..  the name in UTF-8
/// </code>
/// Format 1 had no such byte: its definitions begin with the kind of the keys, 1 to 3.
/// </remarks>
internal sealed record TableDefinition(int Id, string Name, KeyKind KeyKind, ulong FormerUpTo = 0)
{
    private const byte FormatMark = 0x80;
    private const int NameOffset = 2;

    internal static byte[] Encode(string name, KeyKind kind) =>
        [FormatMark | EntryHead.Format, (byte)kind, .. Encoding.UTF8.GetBytes(name)];

    internal static TableDefinition Decode(int id, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < NameOffset || bytes[0] != (FormatMark | EntryHead.Format))
        {
            int format = bytes.Length == 0 || (bytes[0] & FormatMark) == 0 ? 1 : bytes[0] & ~FormatMark;
            throw new PileStorageException(
                $"Table {id} of the pile has entries of format {format}; this version reads format {EntryHead.Format}. Use the version "
                + "that wrote them.");
        }
        return new TableDefinition(id, Encoding.UTF8.GetString(bytes[NameOffset..]), (KeyKind)bytes[1]);
    }
}
