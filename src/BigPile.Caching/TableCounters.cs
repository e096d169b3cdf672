using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>A table's counters. A thread has a cell of its own: counting is a plain addition, and reading sums the cells up.</summary>
/// <remarks>
/// An atomic addition would wait for all loads before it, and hold back those of the next call: two reads of a table would never overlap.
/// A thread's cell is that of its number; the number of a thread that ended goes to another one, which adds to what is there. Where there
/// are more threads than cells, the others share some, and add atomically. A sum is exact for whatever happened before it.
/// Accounting: entries = inserts - removals - evictions - expirations + found at opening.
/// </remarks>
internal sealed unsafe class TableCounters
{
    private const int CounterCount = 16;
    private const int SharedCells = 8;

    private static readonly int OwnCells = Math.Clamp(Environment.ProcessorCount * 4, 32, 256);

    private readonly Cell[] _array; // pinned, and there as long as somebody may still ask
    private readonly Cell* _cells;
    private readonly uint _ownCells = (uint)OwnCells;
    private readonly long[] _base = new long[CounterCount];

    internal TableCounters()
    {
        _array = GC.AllocateArray<Cell>(OwnCells + SharedCells + 1, pinned: true);
        var start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_array));
        _cells = (Cell*)((start + (nuint)sizeof(Cell) - 1) / (nuint)sizeof(Cell) * (nuint)sizeof(Cell));
    }

    internal long Entries => Sum(Counter.Entries);

    internal long this[Counter counter] => Sum(counter);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(ThreadPresence presence, Counter counter, long delta = 1)
    {
        uint number = (uint)presence.Number;
        if (number < _ownCells)
            _cells[number].Values[(int)counter] += delta;
        else
            AddShared(number, counter, delta);
    }

    /// <summary>Whether it is time for what is done once for so many inserts of a thread; a power of two less one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsTurn(ThreadPresence presence, long insertsLessOne) =>
        (CellOf((uint)presence.Number)->Values[(int)Counter.Inserts] & insertsLessOne) == 0;

    /// <summary>Sets a counter while nobody counts with it.</summary>
    internal void Reset(Counter counter, long value) => _base[(int)counter] += value - Sum(counter);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddShared(uint number, Counter counter, long delta) =>
        Interlocked.Add(ref CellOf(number)->Values[(int)counter], delta);

    private Cell* CellOf(uint number) => _cells + (number < _ownCells ? number : _ownCells + number % SharedCells);

    private long Sum(Counter counter)
    {
        long sum = Volatile.Read(ref _base[(int)counter]);
        for (uint i = 0; i < _ownCells + SharedCells; i++)
            sum += Volatile.Read(ref _cells[i].Values[(int)counter]);
        return sum;
    }

    [StructLayout(LayoutKind.Sequential, Size = CounterCount * sizeof(long))]
    private struct Cell
    {
        internal fixed long Values[CounterCount];
    }
}
