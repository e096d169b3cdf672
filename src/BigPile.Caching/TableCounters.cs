using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>A table's counters, in places that threads do not fight for: reading sums them up.</summary>
/// <remarks>Accounting: entries = inserts - removals - evictions - expirations + found at opening.</remarks>
internal sealed unsafe class TableCounters
{
    private readonly int _mask = (int)BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount) * 2 - 1;
    private readonly Cell[] _array; // pinned, and there as long as somebody may still ask
    private readonly Cell* _cells;

    internal TableCounters()
    {
        _array = GC.AllocateArray<Cell>(_mask + 2, pinned: true);
        var start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_array));
        _cells = (Cell*)((start + (nuint)sizeof(Cell) - 1) / (nuint)sizeof(Cell) * (nuint)sizeof(Cell));
    }

    internal long Entries => Sum(Counter.Entries);

    internal long this[Counter counter] => Sum(counter);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(ThreadPresence presence, Counter counter, long delta = 1) =>
        Interlocked.Add(ref _cells[presence.Heap & _mask].Values[(int)counter], delta);

    /// <summary>Whether it is time for what is done once for so many inserts; a power of two less one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsTurn(ThreadPresence presence, long insertsLessOne) =>
        (_cells[presence.Heap & _mask].Values[(int)Counter.Inserts] & insertsLessOne) == 0;

    internal void Reset(Counter counter, long value)
    {
        for (int i = 0; i <= _mask; i++)
            Volatile.Write(ref _cells[i].Values[(int)counter], 0);
        Volatile.Write(ref _cells[0].Values[(int)counter], value);
    }

    private long Sum(Counter counter)
    {
        long sum = 0;
        for (int i = 0; i <= _mask; i++)
            sum += Volatile.Read(ref _cells[i].Values[(int)counter]);
        return sum;
    }

    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct Cell
    {
        internal fixed long Values[16];
    }
}
