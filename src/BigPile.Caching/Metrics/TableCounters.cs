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
/// <para>
/// What outlives the process (entries and their bytes) is counted within a note of the change, and by one thread at a time in each cell; a
/// word beside the three follows from them, so that a changed bit shows.
/// </para>
/// </remarks>
internal sealed unsafe class TableCounters
{
    /// <summary>The cells that threads share.</summary>
    internal const int SharedCells = 8;

    /// <summary>The bytes of a cell.</summary>
    internal const int CellBytes = CounterCount * sizeof(long);

    internal const int CounterCount = 16; // one word of them is the check

    private const int SharedAdds = 1024;
    private const int CheckWord = CounterCount - 1;

    // Odd, so that no changed bit of one of the three leaves the sum as it is.
    private const long EntriesFactor = 0x5851F42D4C957F2D;
    private const long FootprintBytesFactor = 0x14057B7EF767814F;
    private const long PayloadBytesFactor = 0x2545F4914F6CDD1D;
    private const long EmptyCheck = 0x632BE59BD9B4E019; // so that a lost page of zeros shows, too

    private readonly int _ownCells;
    private readonly Cell[]? _sharedArray; // pinned, and there as long as somebody may still ask
    private readonly Cell* _shared;
    private readonly long* _base;
    private readonly TinySpinLock[]? _locks; // of the cells that threads share, where they outlive the process
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

    /// <summary>Counts where the counters of an earlier process are.</summary>
    /// <param name="cells">The cells: those that threads share, and behind them those that they have of their own.</param>
    /// <param name="ownCells">How many threads have one of their own.</param>
    /// <param name="sumBase">What is added to the sums of the cells.</param>
    internal TableCounters(byte* cells, int ownCells, long* sumBase)
    {
        _ownCells = ownCells;
        _shared = (Cell*)cells;
        _own = _shared + SharedCells;
        _base = sumBase;
        _locks = new TinySpinLock[SharedCells];
    }

    /// <summary>The threads that have a cell of their own, unless an earlier process with other processors made the cells.</summary>
    internal static int UsualOwnCells { get; } = Math.Clamp(Environment.ProcessorCount * 4, 32, MostOwnCells);

    /// <summary>The most threads that can have a cell of their own.</summary>
    internal const int MostOwnCells = 256;

    internal long Entries => Sum(Counter.Entries);

    internal long this[Counter counter] => Sum(counter);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(CriticalRegion critical, Counter counter, long delta = 1)
    {
        uint number = (uint)critical.Number;
        Cell* own = _own;
        if (number < (uint)_ownCells && own != null)
            own[number].Values[(int)counter] += delta;
        else
            AddShared(number, counter, delta);
    }

    /// <summary>Whether it is time for what is done once for so many inserts of a thread; a power of two less one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsTurn(CriticalRegion critical, long insertsLessOne) =>
        (CellOf((uint)critical.Number)->Values[(int)Counter.Inserts] & insertsLessOne) == 0;

    /// <summary>
    /// Counts entries and their bytes; in cells that outlive the process between <see cref="Begin"/> and <see cref="End"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Count(CriticalRegion critical, in BlockCount added)
    {
        uint number = (uint)critical.Number;
        Cell* own = _own;
        if (number < (uint)_ownCells && own != null)
            Count(own[number].Values, added);
        else
            CountShared(number, added);
    }

    /// <summary>Takes the cell that a thread counts in until <see cref="End"/>; of cells that outlive the process.</summary>
    /// <returns>Its number.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Begin(CriticalRegion critical)
    {
        uint number = (uint)critical.Number;
        return number < (uint)_ownCells ? SharedCells + (int)number : BeginShared(number);
    }

    /// <summary>Gives back what <see cref="Begin"/> took.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void End(int cell)
    {
        if ((uint)cell < SharedCells)
            _locks![cell].Exit();
    }

    /// <summary>What a cell has of entries and their bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockCount In(int cell) => In(_shared[cell].Values);

    /// <summary>Sets what a cell has of entries and their bytes. Nobody counts.</summary>
    internal void Set(int cell, in BlockCount count)
    {
        if ((uint)cell < (uint)(SharedCells + _ownCells))
            Set(_shared[cell].Values, count);
    }

    /// <summary>Begins to count anew what does not outlive the process. Nobody counts.</summary>
    internal void Restart()
    {
        for (Counter counter = Counter.PayloadBytes + 1; (int)counter < CheckWord; counter++)
            Reset(counter, 0);
    }

    /// <summary>States that nothing was counted in cells that are new, and outlive the process.</summary>
    internal void Clear()
    {
        for (int cell = 0; cell < SharedCells + _ownCells; cell++)
            Set(cell, default);
        Set(_base, default);
    }

    /// <summary>Whether entries and their bytes are as they were counted. Nobody counts.</summary>
    internal bool AreRight()
    {
        for (int cell = 0; cell < SharedCells + _ownCells; cell++)
        {
            if (!IsRight(_shared[cell].Values))
                return false;
        }
        return IsRight(_base);
    }

    /// <summary>Sets what there is of entries and their bytes in all. Nobody counts.</summary>
    internal void Reset(in BlockCount count)
    {
        Count(_base, count - new BlockCount(Sum(Counter.Entries), Sum(Counter.FootprintBytes), Sum(Counter.PayloadBytes)));
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

    private static long CheckOf(in BlockCount count) => unchecked(
        count.Entries * EntriesFactor + count.FootprintBytes * FootprintBytesFactor + count.PayloadBytes * PayloadBytesFactor);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Count(long* values, in BlockCount added)
    {
        values[(int)Counter.Entries] += added.Entries;
        values[(int)Counter.FootprintBytes] += added.FootprintBytes;
        values[(int)Counter.PayloadBytes] += added.PayloadBytes;
        values[CheckWord] += CheckOf(added);
    }

    private static void Set(long* values, in BlockCount count)
    {
        values[(int)Counter.Entries] = count.Entries;
        values[(int)Counter.FootprintBytes] = count.FootprintBytes;
        values[(int)Counter.PayloadBytes] = count.PayloadBytes;
        values[CheckWord] = EmptyCheck + CheckOf(count);
    }

    private static bool IsRight(long* values) => values[CheckWord] == EmptyCheck + CheckOf(In(values));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static BlockCount In(long* values) =>
        new(values[(int)Counter.Entries], values[(int)Counter.FootprintBytes], values[(int)Counter.PayloadBytes]);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int BeginShared(uint number)
    {
        int cell = (int)(number % SharedCells);
        _locks![cell].Enter();
        return cell;
    }

    private void CountShared(uint number, in BlockCount added)
    {
        AddShared(number, Counter.Entries, added.Entries);
        AddShared(number, Counter.FootprintBytes, added.FootprintBytes);
        AddShared(number, Counter.PayloadBytes, added.PayloadBytes);
        AddShared(number, (Counter)CheckWord, CheckOf(added));
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
