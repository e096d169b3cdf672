namespace BigPile;

/// <summary>What is read in the background once a mapped pile is open. Reads are right before it ends, only slower.</summary>
public enum PileWarmup
{
    /// <summary>Nothing: each page is examined when it is needed. After a kill the pages are examined all the same.</summary>
    Off,

    /// <summary>The system is asked to read the segments ahead; each page is examined when it is needed.</summary>
    Advise,

    /// <summary>Every page in use is read and examined, in the order of addresses, its checksums with it. The default.</summary>
    Touch,

    /// <summary>As <see cref="Touch"/>, and then every block is checked once more, as <c>Verify</c> does.</summary>
    Verify,
}
