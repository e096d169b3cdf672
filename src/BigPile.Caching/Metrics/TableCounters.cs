using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Metrics;

/// <summary>A table's counters, in a cell for each thread: counting is a plain addition, and reading sums the cells.</summary>
/// <remarks>
/// <para>
/// An atomic addition would wait for all earlier loads, and delay those of the next call, so two reads of a table would never overlap. A
/// thread owns the cell of its number. When a thread ends, another one takes over its number, and adds to the same cell. Threads without a
/// cell share 8, and add atomically. A sum has all that happened before it was read. A table's cells for threads are made after about a
/// thousand counts, so a table that is hardly used stays small; the cells of an index file exist from the start.
/// Accounting: entries = inserts - removals - evictions - expirations + found at opening.
/// </para>
/// <para>
/// In cells that outlive the process, entries and their bytes change only under a published intent, and each cell is changed by one thread
/// at a time. A check word in each cell follows from the three, and detects damage.
/// </para>
/// Thread safety: all members may be called concurrently, unless they say otherwise.
/// </remarks>
internal sealed unsafe class TableCounters
{
    internal const int SharedCells = 8;

    internal const int CellBytes = CounterCount * sizeof(long);

    internal const int CounterCount = 16; // words of a cell: the counters, some unused, and the check word at the end

    private const int SharedAdds = 1024;
    private const int CheckWord = CounterCount - 1;

    // Odd factors: a changed bit of a counter always changes the check.
    private const long EntriesFactor = 0x5851F42D4C957F2D;
    private const long FootprintBytesFactor = 0x14057B7EF767814F;
    private const long PayloadBytesFactor = 0x2545F4914F6CDD1D;
    private const long EmptyCheck = 0x632BE59BD9B4E019; // not zero: a page of zeros is detected as lost

    private readonly int _ownCells; // number of cells that threads own
    private readonly Cell[]? _sharedArray; // pinned; keeps _shared and _base alive; null if the cells are in a file
    private readonly Cell* _shared; // the shared cells
    private readonly long* _base; // for each counter, what is added to the sum of its cells; written while no thread counts
    private readonly TinySpinLock[]? _locks; // one for each shared cell that outlives the process
    private Cell[]? _ownArray; // pinned; keeps _own alive
    private Cell* _own; // the owned cells, by thread number; null: not made yet
    private int _sharedAdds; // additions to shared cells so far, about; lost counts are harmless

    /// <summary>Makes counters in the memory of the process.</summary>
    internal TableCounters()
    {
        _ownCells = UsualOwnCells;
        _sharedArray = NewCells(SharedCells + 1, out _shared);
        _base = (long*)(_shared + SharedCells);
    }

    /// <summary>Uses the counters of an index file.</summary>
    /// <param name="cells">The cells: the shared ones, then the owned ones.</param>
    /// <param name="ownCells">The number of owned cells.</param>
    /// <param name="sumBase">For each counter, what is added to the sum of its cells.</param>
    internal TableCounters(byte* cells, int ownCells, long* sumBase)
    {
        _ownCells = ownCells;
        _shared = (Cell*)cells;
        _own = _shared + SharedCells;
        _base = sumBase;
        _locks = new TinySpinLock[SharedCells];
    }

    /// <summary>The number of owned cells, unless a process with another number of processors made them.</summary>
    internal static int UsualOwnCells { get; } = Math.Clamp(Environment.ProcessorCount * 4, 32, MostOwnCells);

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

    /// <summary>Whether a thread's inserts are a multiple of a number. For work that is done once for so many inserts.</summary>
    /// <param name="critical">The thread's region.</param>
    /// <param name="insertsLessOne">The number, a power of two, less one.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsTurn(CriticalRegion critical, long insertsLessOne) =>
        (CellOf((uint)critical.Number)->Values[(int)Counter.Inserts] & insertsLessOne) == 0;

    /// <summary>
    /// Counts entries and their bytes. If the cells outlive the process, call it between <see cref="Begin"/> and <see cref="End"/>.
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

    /// <summary>Reserves the cell of a thread until <see cref="End"/>. Only for cells that outlive the process.</summary>
    /// <returns>The cell's number.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Begin(CriticalRegion critical)
    {
        uint number = (uint)critical.Number;
        return number < (uint)_ownCells ? SharedCells + (int)number : BeginShared(number);
    }

    /// <summary>Releases the cell that <see cref="Begin"/> reserved.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void End(int cell)
    {
        if ((uint)cell < SharedCells)
            _locks![cell].Exit();
    }

    /// <summary>Entries and their bytes in a cell.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockCount In(int cell) => In(_shared[cell].Values);

    /// <summary>Sets entries and their bytes in a cell. No thread counts.</summary>
    internal void Set(int cell, in BlockCount count)
    {
        if ((uint)cell < (uint)(SharedCells + _ownCells))
            Set(_shared[cell].Values, count);
    }

    /// <summary>Sets all counters to 0 that do not outlive the process. No thread counts.</summary>
    internal void Restart()
    {
        for (Counter counter = Counter.PayloadBytes + 1; (int)counter < CheckWord; counter++)
            Reset(counter, 0);
    }

    /// <summary>Initializes new cells that outlive the process.</summary>
    internal void Clear()
    {
        for (int cell = 0; cell < SharedCells + _ownCells; cell++)
            Set(cell, default);
        Set(_base, default);
    }

    /// <summary>Whether the check word of each cell is right. No thread counts.</summary>
    internal bool AreRight()
    {
        for (int cell = 0; cell < SharedCells + _ownCells; cell++)
        {
            if (!IsRight(_shared[cell].Values))
                return false;
        }
        return IsRight(_base);
    }

    /// <summary>Sets the sums of entries and their bytes. No thread counts.</summary>
    internal void Reset(in BlockCount count)
    {
        Count(_base, count - new BlockCount(Sum(Counter.Entries), Sum(Counter.FootprintBytes), Sum(Counter.PayloadBytes)));
    }

    /// <summary>Sets the sum of a counter. No thread counts with it.</summary>
    internal void Reset(Counter counter, long value) => _base[(int)counter] += value - Sum(counter);

    /// <summary>The sums of all counters.</summary>
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
        if (_own == null && ++_sharedAdds >= SharedAdds) // not atomic: a lost count is harmless
            MakeOwn();
    }

    private void MakeOwn()
    {
        Cell[] array = NewCells(_ownCells, out Cell* own);
        if (Interlocked.CompareExchange(ref _ownArray, array, null) == null)
        {
            Volatile.WriteBarrier(); // the cells are zero before they are published
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

/// <summary>Entries and their bytes, as counted or as the difference of a change.</summary>
/// <param name="Entries">The number of entries.</param>
/// <param name="FootprintBytes">The bytes of their blocks in the pile, headers and slack included.</param>
/// <param name="PayloadBytes">The bytes of their payloads.</param>
internal readonly record struct BlockCount(long Entries, long FootprintBytes, long PayloadBytes)
{
    public static BlockCount operator +(in BlockCount one, in BlockCount other) =>
        new(one.Entries + other.Entries, one.FootprintBytes + other.FootprintBytes, one.PayloadBytes + other.PayloadBytes);

    public static BlockCount operator -(in BlockCount one, in BlockCount other) =>
        new(one.Entries - other.Entries, one.FootprintBytes - other.FootprintBytes, one.PayloadBytes - other.PayloadBytes);
}
