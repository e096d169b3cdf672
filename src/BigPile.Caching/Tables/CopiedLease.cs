using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Access;
using BigPile.Layout;

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
