namespace BigPile;

/// <summary>What is done with the checksums of a mapped pile's blocks.</summary>
public enum PileChecksums
{
    /// <summary>A new pile gets none; those of an existing one are kept up, but not looked at.</summary>
    Off,

    /// <summary>Each page is checked once after the pile was opened, before anything in it is read. The default.</summary>
    AtFirstUse,

    /// <summary>Also every read checks what it reads: for devices that are not trusted while the pile is open. Reads take longer.</summary>
    AtEveryRead,
}
