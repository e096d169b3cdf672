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

/// <summary>Decides which deletions are undone: those that no flush had made durable when the power was cut.</summary>
/// <param name="Shutdown">How the last owner ended.</param>
/// <param name="HasTracesOfCut">Whether pages may have traces of a power cut and are not recovered.</param>
/// <param name="Epoch">The log's epoch in the superblock.</param>
internal readonly record struct UndoRule(ShutdownKind Shutdown, bool HasTracesOfCut, long Epoch)
{
    /// <summary>Whether an undoable header in an unrecovered page stands for the block that it was.</summary>
    internal bool Undoes(BlockHeader undoable) => Shutdown switch
    {
        ShutdownKind.PowerCut => undoable.IsPendingIn(Epoch),
        ShutdownKind.Killed => HasTracesOfCut && undoable.IsFromBeforeCut(Epoch),
        _ => false,
    };
}
