namespace BigPile.Layout;

/// <summary>Which checksums the blocks of a pile carry.</summary>
internal enum BlockChecksumKind
{
    /// <summary>None, or none that is verified.</summary>
    None,

    /// <summary>CRC-32C.</summary>
    Crc32C,

    /// <summary>CRC-32C, or the <see cref="LegacyChecksum"/> in blocks that formats 1 to 6 wrote.</summary>
    Crc32COrLegacy,
}
