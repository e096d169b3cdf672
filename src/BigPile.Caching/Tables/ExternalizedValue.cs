using System.Diagnostics;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>An object that is filled, and becomes live with its entry.</summary>
internal sealed class ExternalizedValue(Slot slot, BlockKind kind, long payloadBytes)
{
    private bool _isLive; // set by the putting thread, under the bucket's lock

    internal PilePointer Pointer => slot.Pointer;

    internal void Publish(TableHeap heap)
    {
        Debug.Assert(!_isLive, "An object becomes live once, with its entry.");
        CrashPoints.Pass(CrashPoint.ExternalizeBeforeObject);
        heap.PublishObject(slot, kind, payloadBytes);
        _isLive = true;
        if (Mutation.ObjectBeforeEntry)
            CrashPoints.Pass(CrashPoint.ExternalizeBeforeObject);
    }

    internal void AbandonUnlessLive(TableHeap heap)
    {
        if (!_isLive)
            heap.Abandon(slot, payloadBytes);
    }
}
