namespace BigPile.Layout;

/// <summary>Whether a block matches its checksum.</summary>
internal enum BlockChecksumState
{
    /// <summary>It does not match.</summary>
    Broken,

    /// <summary>It matches its CRC-32C.</summary>
    Intact,

    /// <summary>It matches the <see cref="LegacyChecksum"/> of formats 1 to 6, in at least one chunk.</summary>
    IntactByLegacy,
}
