namespace BigPile;

/// <summary>How the checksums of a mapped pile's blocks are used.</summary>
public enum PileChecksums
{
    /// <summary>A new pile gets none; those of an existing one are maintained, but not verified.</summary>
    Off,

    /// <summary>Each page is verified once after the pile was opened, before anything in it is read. The default.</summary>
    AtFirstUse,

    /// <summary>
    /// Every read verifies what it reads as well: for devices that are not trusted while the pile is open. Reads take longer.
    /// </summary>
    AtEveryRead,
}
