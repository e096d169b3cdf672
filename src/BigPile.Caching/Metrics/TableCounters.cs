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
/// has been used some hundred times all threads share, so that one which is hardly used takes no cells for all processors; those of a table
/// whose index is in a file are there as well, from the start.
/// Accounting: entries = inserts - removals - evictions - expirations + found at opening.
/// </remarks>
internal sealed unsafe class TableCounters
{
    /// <summary>The cells that threads share.</summary>
    internal const int SharedCells = 8;

    /// <summary>The bytes of a cell.</summary>
    internal const int CellBytes = CounterCount * sizeof(long);

    internal const int CounterCount = 16;

    private const int SharedAdds = 1024;

    private readonly int _ownCells;
    private readonly Cell[]? _sharedArray; // pinned, and there as long as somebody may still ask
    private readonly Cell* _shared;
    private readonly long* _base;
    private Cell[]? _ownArray;
    private Cell* _own; // null: there are none yet
    private int _sharedAdds;

    /// <summary>Counts in the memory of the process.</summary>
    internal TableCounters()
    {
        _ownCells = UsualOwnCells;
        _sharedArray = NewCells(SharedCells + 1, out _shared);
        _base = (long*)(_shared + SharedCells);
    }

    /// <summary>Counts where the counters of an earlier process are, and goes on behind those of what there is.</summary>
    /// <param name="cells">The cells: those that threads share, and behind them those that they have of their own.</param>
    /// <param name="ownCells">How many threads have one of their own.</param>
    /// <param name="sumBase">What is added to the sums of the cells.</param>
    internal TableCounters(byte* cells, int ownCells, long* sumBase)
    {
        _ownCells = ownCells;
        _shared = (Cell*)cells;
        _own = _shared + SharedCells;
        _base = sumBase;
        for (Counter counter = 0; (int)counter < CounterCount; counter++)
        {
            if (counter is not (Counter.Entries or Counter.RoomBytes or Counter.PayloadBytes))
                Reset(counter, 0);
        }
    }

    /// <summary>The threads that have a cell of their own, unless an earlier process with other processors made the cells.</summary>
    internal static int UsualOwnCells { get; } = Math.Clamp(Environment.ProcessorCount * 4, 32, MostOwnCells);

    /// <summary>The most threads that can have a cell of their own.</summary>
    internal const int MostOwnCells = 256;

    internal long Entries => Sum(Counter.Entries);

    internal long this[Counter counter] => Sum(counter);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(ThreadPresence presence, Counter counter, long delta = 1)
    {
        uint number = (uint)presence.Number;
        Cell* own = _own;
        if (number < (uint)_ownCells && own != null)
            own[number].Values[(int)counter] += delta;
        else
            AddShared(number, counter, delta);
    }

    /// <summary>Whether it is time for what is done once for so many inserts of a thread; a power of two less one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsTurn(ThreadPresence presence, long insertsLessOne) =>
        (CellOf((uint)presence.Number)->Values[(int)Counter.Inserts] & insertsLessOne) == 0;

    /// <summary>The number of a thread's own cell; -1 when it shares one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int OwnCellOf(ThreadPresence presence) => (uint)presence.Number < (uint)_ownCells && _own != null ? presence.Number : -1;

    /// <summary>What a thread's own cell has of a counter.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long InOwnCell(int cell, Counter counter) => _own[cell].Values[(int)counter];

    /// <summary>Sets what a thread's own cell has of a counter. Nobody counts.</summary>
    internal void SetInOwnCell(int cell, Counter counter, long value)
    {
        if ((uint)cell < (uint)_ownCells && _own != null)
            _own[cell].Values[(int)counter] = value;
    }

    /// <summary>Sets a counter while nobody counts with it.</summary>
    internal void Reset(Counter counter, long value) => _base[(int)counter] += value - Sum(counter);

    /// <summary>What all counters say.</summary>
    internal long[] Snapshot()
    {
        var figures = new long[CounterCount];
        for (int i = 0; i < CounterCount; i++)
            figures[i] = Sum((Counter)i);
        return figures;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddShared(uint number, Counter counter, long delta)
    {
        Interlocked.Add(ref _shared[number % SharedCells].Values[(int)counter], delta);
        if (_own == null && ++_sharedAdds >= SharedAdds) // about so many: a lost count is harmless
            MakeOwn();
    }

    private void MakeOwn()
    {
        Cell[] array = NewCells(_ownCells, out Cell* own);
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
        return number < (uint)_ownCells && own != null ? own + number : _shared + (number % SharedCells);
    }

    private long Sum(Counter counter)
    {
        long sum = Volatile.Read(ref _base[(int)counter]);
        for (int i = 0; i < SharedCells; i++)
            sum += Volatile.Read(ref _shared[i].Values[(int)counter]);
        Cell* own = _own;
        for (int i = 0; own != null && i < _ownCells; i++)
            sum += Volatile.Read(ref own[i].Values[(int)counter]);
        return sum;
    }

    [StructLayout(LayoutKind.Sequential, Size = CounterCount * sizeof(long))]
    private struct Cell
    {
        internal fixed long Values[CounterCount];
    }
}
