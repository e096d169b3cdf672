namespace BigPile.Layout;

/// <summary>Which checksums the blocks of a pile carry.</summary>
internal enum BlockChecksumKind
{
    /// <summary>None, or none that is to be looked at.</summary>
    None,

    /// <summary>CRC-32C.</summary>
    Crc32C,

    /// <summary>CRC-32C, or <see cref="LegacyChecksum"/> of what was written in formats 1 to 6 and not since.</summary>
    Crc32COrLegacy,
}
