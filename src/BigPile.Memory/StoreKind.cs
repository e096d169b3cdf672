namespace BigPile;

/// <summary>Where a pile keeps its segments.</summary>
public enum StoreKind
{
    /// <summary>Pinned byte arrays of the runtime. The collector knows them, but has nothing to scan in them.</summary>
    Managed,

    /// <summary>Memory taken from the operating system, unknown to the collector.</summary>
    Native,

    /// <summary>Files mapped into memory, which outlive the process.</summary>
    Mapped,
}
