namespace BigPile.Layout;

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
