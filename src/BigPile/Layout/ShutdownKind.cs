namespace BigPile.Layout;

/// <summary>How the last owner of a pile left it.</summary>
internal enum ShutdownKind
{
    /// <summary>Closed: nothing is to be put right.</summary>
    Closed,

    /// <summary>Killed, or still at work: every store is there, up to some instant.</summary>
    Killed,

    /// <summary>By a power cut: what was flushed is there, and of what was stored later anything, or nothing.</summary>
    PowerCut,
}
