using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Allocation;

/// <summary>The addresses of blocks that changed since the last flush, as far as there is room for them.</summary>
/// <remarks>
/// Addresses come in before the blocks are written, so a list is only read while no change runs. One that is full stays so: the next
/// flush then writes the segments as a whole. Calls are made under the lock of the heap, or the pool, that owns the list.
/// </remarks>
/// <param name="mostAddresses">How many there is room for; 0 where nobody wants to know, and then nothing is ever missing.</param>
internal sealed unsafe class DirtyList(int mostAddresses) : IDisposable
{
    /// <summary>The most addresses of one list: 1 MiB.</summary>
    internal const int Capacity = 128 * 1024;

    private readonly int _capacity = mostAddresses;
    private ulong* _addresses = (ulong*)NativeMemory.Alloc((nuint)mostAddresses, sizeof(ulong));
    private int _count;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(ulong address)
    {
        int count = _count;
        if (count < _capacity)
        {
            _addresses[count] = address;
            _count = count + 1;
        }
        else
        {
            _count = _capacity + 1;
        }
    }

    /// <summary>Moves the addresses elsewhere, and begins anew.</summary>
    /// <returns><see langword="false"/> when there was no room for all changes.</returns>
    internal bool TryTake(List<ulong> addresses)
    {
        int count = _count;
        Debug.Assert(count >= 0 && count <= _capacity + 1, "More addresses than there is room for.");
        _count = 0;
        addresses.AddRange(new ReadOnlySpan<ulong>(_addresses, Math.Min(count, _capacity)));
        return count <= _capacity || _capacity == 0;
    }

    public void Dispose()
    {
        NativeMemory.Free(_addresses);
        _addresses = null;
    }
}
