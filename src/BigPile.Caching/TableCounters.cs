using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>A table's counters. Each thread has a cell of its own: counting is a plain addition, and reading sums the cells up.</summary>
/// <remarks>
/// An atomic addition would wait for all loads before it, and hold back those of the next call: two reads of a table would never overlap.
/// A thread's cell is that of its number; the number of a thread that ended goes to another one, which adds to what is there. A sum is exact
/// for whatever happened before it.
/// Accounting: entries = inserts - removals - evictions - expirations + found at opening.
/// </remarks>
internal sealed unsafe class TableCounters
{
    private const int FirstChunkShift = 5; // cells of the first chunk; each one behind has twice as many as the one before
    private const int MaxChunks = 16;
    private const int CounterCount = 16;

    private readonly Lock _growing = new();
    private readonly Cell[]?[] _arrays = new Cell[MaxChunks][]; // pinned, and there as long as somebody may still ask
    private readonly nint[] _chunks = GC.AllocateArray<nint>(MaxChunks, pinned: true);
    private readonly long[] _base = new long[CounterCount];
    private int _chunksEnd;

    internal long Entries => Sum(Counter.Entries);

    internal long this[Counter counter] => Sum(counter);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(ThreadPresence presence, Counter counter, long delta = 1) => CellOf(presence)->Values[(int)counter] += delta;

    /// <summary>Whether it is time for what is done once for so many inserts of a thread; a power of two less one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsTurn(ThreadPresence presence, long insertsLessOne) =>
        (CellOf(presence)->Values[(int)Counter.Inserts] & insertsLessOne) == 0;

    /// <summary>Sets a counter while nobody counts with it.</summary>
    internal void Reset(Counter counter, long value) => _base[(int)counter] += value - Sum(counter);

    private long Sum(Counter counter)
    {
        long sum = Volatile.Read(ref _base[(int)counter]);
        int end = Volatile.Read(ref _chunksEnd);
        for (int i = 0; i < end; i++)
        {
            var chunk = (Cell*)Volatile.Read(ref _chunks[i]);
            for (int k = 0; chunk != null && k < CellsIn(i); k++)
                sum += Volatile.Read(ref chunk[k].Values[(int)counter]);
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Cell* CellOf(ThreadPresence presence)
    {
        int number = presence.Number;
        int index = BitOperations.Log2((uint)(number >> FirstChunkShift) + 1);
        var chunk = (Cell*)Volatile.Read(ref _chunks[index]);
        return (chunk != null ? chunk : Make(index)) + (number - (CellsIn(index) - CellsIn(0)));
    }

    // The chunks before one have as many cells together as it has, less those of the first.
    private static int CellsIn(int index) => 1 << (index + FirstChunkShift);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Cell* Make(int index)
    {
        lock (_growing)
        {
            if (_chunks[index] != 0)
                return (Cell*)_chunks[index];
            Cell[] array = GC.AllocateArray<Cell>(CellsIn(index) + 1, pinned: true);
            var start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(array));
            _arrays[index] = array;
            nuint aligned = (start + (nuint)sizeof(Cell) - 1) / (nuint)sizeof(Cell) * (nuint)sizeof(Cell);
            Volatile.Write(ref _chunks[index], (nint)aligned);
            Volatile.Write(ref _chunksEnd, Math.Max(_chunksEnd, index + 1));
            return (Cell*)aligned;
        }
    }

    [StructLayout(LayoutKind.Sequential, Size = CounterCount * sizeof(long))]
    private struct Cell
    {
        internal fixed long Values[CounterCount];
    }
}
