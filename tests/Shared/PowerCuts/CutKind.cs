namespace BigPile.Testing;

/// <summary>Which of the sectors that were stored and not written through are on the disk after a power cut.</summary>
internal enum CutKind
{
    /// <summary>None: the disk is as it was written through.</summary>
    Nothing,

    /// <summary>All: what a copy of a killed process's directory has on another machine.</summary>
    Everything,

    /// <summary>Random pages of 4 KiB, some of them torn.</summary>
    Pages,

    /// <summary>Random sectors.</summary>
    Sectors,

    /// <summary>Those in which a block begins.</summary>
    Headers,

    /// <summary>Those in which a block begins that is free now and was not on the disk.</summary>
    FreedHeaders,

    /// <summary>Those of segments in which no block begins.</summary>
    Payloads,

    /// <summary>Those that say how pages are laid out.</summary>
    PageWords,

    /// <summary>All but those that say how pages are laid out.</summary>
    AllButPageWords,

    /// <summary>All of one file.</summary>
    OneFile,

    /// <summary>All but those of one file.</summary>
    AllButOneFile,

    /// <summary>One.</summary>
    OneSector,

    /// <summary>All but one.</summary>
    AllButOneSector,

    /// <summary>One past the last kind.</summary>
    End,
}
