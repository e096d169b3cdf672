namespace BigPile.Layout;

/// <summary>Entries of a table that add nothing and take away older ones: of a key, or with a tag.</summary>
/// <remarks>
/// After a power cut one that was not flushed must not count: the newer entries, put in the place of those that it takes away, may be gone
/// with the power, and then the key would have neither. Other entries that were not flushed may stay: they only ever add. FORMAT.md, "A
/// table entry", says what an entry is.
/// </remarks>
internal static unsafe class RemovalEntry
{
    private const int WordOffset = 8;
    private const int KindShift = 29;
    private const uint Tombstone = 5;
    private const uint TagMark = 6;
    private const ulong ExtensionBit = 1UL << 63;
    private const int LeastBytes = 12;

    /// <summary>Whether a block is such an entry, and its version is above one and not above another.</summary>
    internal static bool IsBetween(byte* block, BlockHeader header, ulong above, ulong upTo)
    {
        if (header.Kind != BlockKind.TableEntry || header.PayloadBytes < LeastBytes)
            return false;
        byte* payload = block + BlockHeader.SizeBytes;
        ulong version = *(ulong*)payload & ~ExtensionBit;
        return *(uint*)(payload + WordOffset) >> KindShift is Tombstone or TagMark && version > above && version <= upTo;
    }
}
