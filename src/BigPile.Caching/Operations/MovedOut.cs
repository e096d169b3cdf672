using BigPile.Allocation;
using BigPile.Blocks;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>An object that is whole, and not live before its entry is.</summary>
internal sealed class MovedOut(Slot slot, BlockKind kind, long payloadBytes)
{
    private bool _isLive;

    internal PilePointer Pointer => slot.Pointer;

    internal void Publish(Pile pile)
    {
        KillPoint.Pass(KillWindow.MoveOutBeforeObject);
        pile.PublishObject(slot, kind, payloadBytes);
        _isLive = true;
        if (Fault.ObjectBeforeEntry)
            KillPoint.Pass(KillWindow.MoveOutBeforeObject);
    }

    internal void AbandonUnlessLive(Pile pile)
    {
        if (!_isLive)
            pile.AbandonEntry(slot, payloadBytes);
    }
}
