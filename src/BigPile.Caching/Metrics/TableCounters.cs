using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching.Metrics;

/// <summary>A table's counters. A thread has a cell of its own: counting is a plain addition, and reading sums the cells up.</summary>
/// <remarks>
/// An atomic addition would wait for all loads before it, and hold back those of the next call: two reads of a table would never overlap.
/// A thread's cell is that of its number; the number of a thread that ended goes to another one, which adds to what is there. Where there
/// are more threads than cells, the others share some, and add atomically. A sum is exact for whatever happened before it. Until a table
/// has been used some hundred times all threads share, so that one which is hardly used takes no cells for all processors.
/// Accounting: entries = inserts - removals - evictions - expirations + found at opening.
/// </remarks>
internal sealed unsafe class TableCounters
{
    private const int CounterCount = 16;
    private const int SharedCells = 8;
    private const int SharedAdds = 1024;

    private static readonly int OwnCells = Math.Clamp(Environment.ProcessorCount * 4, 32, 256);

    private readonly Cell[] _sharedArray; // pinned, and there as long as somebody may still ask
    private readonly Cell* _shared;
    private readonly long[] _base = new long[CounterCount];
    private Cell[]? _ownArray;
    private Cell* _own; // null: there are none yet
    private int _sharedAdds;

    internal TableCounters() => _sharedArray = NewCells(SharedCells, out _shared);

    internal long Entries => Sum(Counter.Entries);

    internal long this[Counter counter] => Sum(counter);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(ThreadPresence presence, Counter counter, long delta = 1)
    {
        uint number = (uint)presence.Number;
        Cell* own = _own;
        if (number < (uint)OwnCells && own != null)
            own[number].Values[(int)counter] += delta;
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
    private void AddShared(uint number, Counter counter, long delta)
    {
        Interlocked.Add(ref _shared[number % SharedCells].Values[(int)counter], delta);
        if (_own == null && ++_sharedAdds >= SharedAdds) // about so many: a lost count is harmless
            MakeOwn();
    }

    private void MakeOwn()
    {
        Cell[] array = NewCells(OwnCells, out Cell* own);
        if (Interlocked.CompareExchange(ref _ownArray, array, null) == null)
        {
            Volatile.WriteBarrier(); // the cells are empty before they can be seen
            _own = own;
        }
    }

    private static Cell[] NewCells(int count, out Cell* first)
    {
        Cell[] array = GC.AllocateArray<Cell>(count + 1, pinned: true);
        var start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array));
        first = (Cell*)((start + (nuint)sizeof(Cell) - 1) / (nuint)sizeof(Cell) * (nuint)sizeof(Cell));
        return array;
    }

    private Cell* CellOf(uint number)
    {
        Cell* own = _own;
        return number < (uint)OwnCells && own != null ? own + number : _shared + (number % SharedCells);
    }

    private long Sum(Counter counter)
    {
        long sum = Volatile.Read(ref _base[(int)counter]);
        for (int i = 0; i < SharedCells; i++)
            sum += Volatile.Read(ref _shared[i].Values[(int)counter]);
        Cell* own = _own;
        for (int i = 0; own != null && i < OwnCells; i++)
            sum += Volatile.Read(ref own[i].Values[(int)counter]);
        return sum;
    }

    [StructLayout(LayoutKind.Sequential, Size = CounterCount * sizeof(long))]
    private struct Cell
    {
        internal fixed long Values[CounterCount];
    }
}
