namespace BigPile.Layout;

/// <summary>A change of the format, identified by the bit that a pile sets when it uses it.</summary>
/// <param name="Word">What a version does that does not know the feature.</param>
/// <param name="Bit">The bit in that word.</param>
/// <param name="Name">Its name, of at most 255 bytes.</param>
internal readonly record struct Feature(FeatureWord Word, int Bit, string Name)
{
    /// <summary>The checksum of a block is the CRC-32C of its header and payload.</summary>
    internal static readonly Feature Crc32CBlocks = new(FeatureWord.Refuse, 0, "crc32c-blocks");

    /// <summary>Blocks of formats 1 to 6 may be there, with their own checksum: <see cref="LegacyChecksum"/>.</summary>
    internal static readonly Feature LegacyBlockChecksums = new(FeatureWord.Refuse, 1, "legacy-block-checksums");

    /// <summary>The page word of a page of slots has the epoch of the log in which it was laid out.</summary>
    internal static readonly Feature LayoutEpochs = new(FeatureWord.ReadOnly, 1, "layout-epochs");

    /// <summary>In segments whose head says so, no page word and no slot header is zero.</summary>
    internal static readonly Feature WrittenPageWords = new(FeatureWord.ReadOnly, 0, "written-page-words");
}
