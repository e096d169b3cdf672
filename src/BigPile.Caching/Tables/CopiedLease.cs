using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
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

/// <summary>A leased copy of a value that lies in a file. Its holder sees no difference.</summary>
internal sealed unsafe class CopiedLease : ILeaseOwner
{
    private readonly byte[] _pinned;

    private CopiedLease(ReadOnlySpan<byte> value)
    {
        _pinned = GC.AllocateUninitializedArray<byte>(Math.Max(1, value.Length), pinned: true);
        value.CopyTo(_pinned);
    }

    internal static PileLease Of(ReadOnlySpan<byte> value, BlockKind kind)
    {
        var copy = new CopiedLease(value); // kept alive by the lease
        var start = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(copy._pinned));
        return new PileLease(copy, address: 0, start, value.Length, BlockStore.PayloadKindOf(kind));
    }

    /// <inheritdoc/>
    public void End(PileLease lease)
    {
        // nothing: the garbage collector frees the copy
    }
}
