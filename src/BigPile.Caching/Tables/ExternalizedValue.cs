using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Caching.Readers;
using BigPile.Caching.Recovery;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Caching.Typed;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
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
