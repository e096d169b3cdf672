using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Allocation;

/// <summary>The addresses of blocks that changed since the last flush, as far as there is room for them.</summary>
/// <remarks>
/// Addresses come in before the blocks are written, so a list is only read while no change runs. One that is full stays so: the next
/// flush then writes the segments as a whole. Calls are made under the lock of the heap, or the pool, that owns the list.
/// </remarks>
internal sealed unsafe class ChangeList : IDisposable
{
    /// <summary>The most addresses of one list: 1 MiB.</summary>
    internal const int Capacity = 128 * 1024;

    private ulong* _addresses = (ulong*)NativeMemory.Alloc(Capacity, sizeof(ulong));
    private int _count;

    /// <summary>Whether there was no room for all changes.</summary>
    internal bool IsOverfull => _count > Capacity;

    internal ReadOnlySpan<ulong> Addresses => new(_addresses, Math.Min(_count, Capacity));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(ulong address)
    {
        int count = _count;
        if (count < Capacity)
        {
            _addresses[count] = address;
            _count = count + 1;
        }
        else
        {
            _count = Capacity + 1;
        }
    }

    internal void Clear() => _count = 0;

    public void Dispose()
    {
        NativeMemory.Free(_addresses);
        _addresses = null;
    }
}
