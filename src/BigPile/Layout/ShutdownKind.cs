namespace BigPile.Layout;

/// <summary>How the last owner of a pile ended.</summary>
internal enum ShutdownKind
{
    /// <summary>It closed the pile: nothing needs recovery.</summary>
    Closed,

    /// <summary>It was killed, or still runs: the files have every store up to some instant.</summary>
    Killed,

    /// <summary>The power was cut: the files have what was flushed, and of later stores any or none.</summary>
    PowerCut,
}
