using System;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Graph;

/// <summary>Numbers objects in the order of their first visit, and finds those that were visited before.</summary>
/// <remarks>
/// An open table whose slot follows from the object's current address: an identity hash would cost 20 ns for the first time and write
/// into the header of the user's object. The keys are references, so a hit is always right. On a miss the number of collections is
/// compared with the one at which the slots were computed; when it differs, objects may have moved, and the table is built anew.
/// </remarks>
internal sealed class ReferenceTable
{
    private const int InitialSlots = 256;
    private const int SparseResetMost = 64;
    private const int KeptSlotsMost = 64 * 1024;

    private Entry[] _entries = new Entry[InitialSlots];
    private readonly int[] _used = new int[SparseResetMost];
    private int _shift = 64 - 8;
    private int _count;
    private int _collections;

    /// <summary>The number of objects seen.</summary>
    public int Count => _count;

    /// <summary>The number of an object that was there before, or -1 when it was added now.</summary>
    public int FindOrAdd(object item)
    {
        if (_count == 0)
            _collections = GC.CollectionCount(0);
        int index = Probe(item);
        if (_entries[index].Key is not null)
            return _entries[index].Number;
        return GC.CollectionCount(0) == _collections ? Add(item, index) : FindOrAddAfterCollection(item);
    }

    public void Reset()
    {
        if (_count == 0)
            return;
        if (_count <= SparseResetMost)
        {
            for (int i = 0; i < _count; i++)
                _entries[_used[i]] = default;
        }
        else if (_entries.Length > KeptSlotsMost)
        {
            Resize(InitialSlots);
        }
        else
        {
            Array.Clear(_entries);
        }
        _count = 0;
    }

    private int Add(object item, int index)
    {
        _entries[index] = new Entry { Key = item, Number = _count };
        if (_count < SparseResetMost)
            _used[_count] = index;
        _count++;
        if (_count * 2 > _entries.Length)
            Rebuild(_entries.Length * 2);
        return -1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int FindOrAddAfterCollection(object item)
    {
        while (true)
        {
            Rebuild(_entries.Length);
            int index = Probe(item);
            if (_entries[index].Key is not null)
                return _entries[index].Number;
            if (GC.CollectionCount(0) == _collections)
                return Add(item, index);
        }
    }

    // The stamp is taken before the first address: a collection in between makes the next miss rebuild once more.
    private void Rebuild(int capacity)
    {
        Entry[] entries = _entries;
        _collections = GC.CollectionCount(0);
        Resize(capacity);
        foreach (Entry entry in entries)
        {
            if (entry.Key is null)
                continue;
            int index = Probe(entry.Key);
            _entries[index] = entry;
            if (entry.Number < SparseResetMost)
                _used[entry.Number] = index;
        }
    }

    private void Resize(int capacity)
    {
        _entries = new Entry[capacity];
        _shift = 64 - System.Numerics.BitOperations.Log2((uint)capacity);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int Probe(object item)
    {
        Entry[] entries = _entries;
        int index = (int)((ulong)Unsafe.As<object, nint>(ref item) * 0x9E3779B97F4A7C15UL >> _shift);
        while (entries[index].Key is { } key && !ReferenceEquals(key, item))
            index = (index + 1) & (entries.Length - 1);
        return index;
    }

    // A structure, since storing into an array of references would check the element's type.
    private struct Entry
    {
        public object? Key;
        public int Number;
    }
}
