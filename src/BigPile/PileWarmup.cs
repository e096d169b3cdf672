namespace BigPile;

/// <summary>What the background reads once a mapped pile is open. Reads are correct before it ends, only slower.</summary>
public enum PileWarmup
{
    /// <summary>Nothing: each page is recovered at its first use. After a kill the background recovers all pages in any case.</summary>
    Off,

    /// <summary>The system is asked to read the segments ahead; each page is recovered at its first use.</summary>
    Advise,

    /// <summary>Reads and recovers every page in use, in address order, and verifies its checksums. The default.</summary>
    Touch,

    /// <summary>Like <see cref="Touch"/>, and then verifies every block once more, as <c>Verify</c> does.</summary>
    Verify,
}
