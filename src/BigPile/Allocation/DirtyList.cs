using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Allocation;

/// <summary>The addresses of blocks that changed since the last flush, up to a capacity.</summary>
/// <remarks>
/// A writer adds an address before its critical region ends, so the list is read only while no writer runs. Once it has overflowed, the
/// next flush writes whole segments instead. Thread safety: the lock of the heap, or the pool, that owns the list.
/// </remarks>
/// <param name="mostAddresses">The capacity in addresses; 0 where dirty blocks are not tracked, and then it never overflows.</param>
internal sealed unsafe class DirtyList(int mostAddresses) : IDisposable
{
    /// <summary>The usual capacity in addresses: 1 MiB of them.</summary>
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

    /// <summary>Moves the addresses to <paramref name="addresses"/>, and empties the list.</summary>
    /// <returns><see langword="false"/> when the list has overflowed.</returns>
    internal bool TryTake(List<ulong> addresses)
    {
        int count = _count;
        Debug.Assert(count >= 0 && count <= _capacity + 1, "More addresses than the capacity.");
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
