namespace BigPile.Layout;

/// <summary>What a comparison of a block with its checksum says.</summary>
internal enum BlockChecksumState
{
    /// <summary>It is not what was written.</summary>
    Broken,

    /// <summary>It matches its CRC-32C.</summary>
    Intact,

    /// <summary>It matches the <see cref="LegacyChecksum"/> of formats 1 to 6, a part of it at least.</summary>
    IntactByLegacy,
}
