using System.Runtime.InteropServices;
using BigPile.Blocks;

namespace BigPile.Caching.Entries;

/// <summary>The first bytes of a table entry's payload; the key's bytes follow, and the value's behind them.</summary>
/// <remarks>
/// <code>
/// bytes 0..1   the table's id in the catalog
/// byte  2      kind of the value; 0: no value (null)
/// byte  3      zero
/// bytes 4..7   length of the key in bytes
/// bytes 8..15  version: higher than that of every entry put before, in any table of the pile
/// </code>
/// Little-endian. All that a table needs after a kill is in its entries; of two entries with one key the higher version is right.
/// </remarks>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal readonly struct EntryHead(int tableId, BlockKind valueKind, int keyBytes, ulong version)
{
    /// <summary>The bytes of the head.</summary>
    internal const int SizeBytes = 16;

    internal const int MaxTableId = ushort.MaxValue;

    internal readonly ushort TableId = (ushort)tableId;
    private readonly byte _valueKind = (byte)valueKind;
    private readonly byte _reserved;
    internal readonly int KeyBytes = keyBytes;
    internal readonly ulong Version = version;

    internal BlockKind ValueKind => (BlockKind)_valueKind;

    /// <summary>Whether the head can be that of a payload: bytes that are being changed may say anything.</summary>
    internal bool FitsIn(long payloadBytes) => KeyBytes >= 0 && KeyBytes <= payloadBytes - SizeBytes && _reserved == 0;
}
