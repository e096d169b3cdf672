namespace BigPile.Layout;

/// <summary>How the last owner of a pile left it.</summary>
internal enum LeftAs
{
    /// <summary>Closed: nothing is to be put right.</summary>
    Closed,

    /// <summary>Killed, or still at work: every store is there, up to some instant.</summary>
    Killed,

    /// <summary>With the machine's power: the flush log is, and of later stores any.</summary>
    Cut,
}
