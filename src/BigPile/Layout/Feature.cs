namespace BigPile.Layout;

/// <summary>A change of the format, by the bit that says that a pile makes use of it.</summary>
/// <param name="Word">What a version does that does not know it.</param>
/// <param name="Bit">The bit in that word.</param>
/// <param name="Name">What it is called, of 255 bytes at most.</param>
internal readonly record struct Feature(FeatureWord Word, int Bit, string Name)
{
    /// <summary>The checksum of a block is the CRC-32C of its header and payload.</summary>
    internal static readonly Feature Crc32CBlocks = new(FeatureWord.Refuse, 0, "crc32c-blocks");

    /// <summary>There may be blocks that formats 1 to 6 wrote, with a sum of their own: <see cref="LegacyChecksum"/>.</summary>
    internal static readonly Feature LegacyBlockChecksums = new(FeatureWord.Refuse, 1, "legacy-block-checksums");

    /// <summary>Page words of slots state the epoch of the log in which they were laid out.</summary>
    internal static readonly Feature LayoutEpochs = new(FeatureWord.ReadOnly, 1, "layout-epochs");

    /// <summary>Segments that say so in their head have no page word and no header of a slot that is zero.</summary>
    internal static readonly Feature WrittenPageWords = new(FeatureWord.ReadOnly, 0, "written-page-words");
}
