namespace BigPile.Layout;

/// <summary>Table entries that only remove older ones: tombstones remove a key, tag marks the entries with a tag.</summary>
/// <remarks>
/// After a power cut an unflushed removal must be ignored: the newer entries that replaced the removed ones may be lost, and the key would
/// have neither. Other unflushed entries may stay, as they only add. FORMAT.md, "A table entry", describes entries.
/// </remarks>
internal static unsafe class RemovalEntry
{
    private const int WordOffset = 8;
    private const int KindShift = 29;
    private const uint Tombstone = 5;
    private const uint TagMark = 6;
    private const ulong ExtensionBit = 1UL << 63;
    private const int LeastBytes = 12;

    /// <summary>Whether a block is such an entry, and its version is greater than one version and not greater than another.</summary>
    internal static bool IsBetween(byte* block, BlockHeader header, ulong above, ulong upTo)
    {
        if (header.Kind != BlockKind.TableEntry || header.PayloadBytes < LeastBytes)
            return false;
        byte* payload = block + BlockHeader.SizeBytes;
        ulong version = *(ulong*)payload & ~ExtensionBit;
        return *(uint*)(payload + WordOffset) >> KindShift is Tombstone or TagMark && version > above && version <= upTo;
    }
}
