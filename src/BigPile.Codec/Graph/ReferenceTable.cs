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
        int slot = Probe(item);
        if (_entries[slot].Key is not null)
            return _entries[slot].Number;
        return GC.CollectionCount(0) == _collections ? Add(item, slot) : FindOrAddAfterCollection(item);
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

    private int Add(object item, int slot)
    {
        _entries[slot] = new Entry { Key = item, Number = _count };
        if (_count < SparseResetMost)
            _used[_count] = slot;
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
            int slot = Probe(item);
            if (_entries[slot].Key is not null)
                return _entries[slot].Number;
            if (GC.CollectionCount(0) == _collections)
                return Add(item, slot);
        }
    }

    // The stamp is taken before the first address: a collection in between makes the next miss rebuild once more.
    private void Rebuild(int slots)
    {
        Entry[] entries = _entries;
        _collections = GC.CollectionCount(0);
        Resize(slots);
        foreach (Entry entry in entries)
        {
            if (entry.Key is null)
                continue;
            int slot = Probe(entry.Key);
            _entries[slot] = entry;
            if (entry.Number < SparseResetMost)
                _used[entry.Number] = slot;
        }
    }

    private void Resize(int slots)
    {
        _entries = new Entry[slots];
        _shift = 64 - System.Numerics.BitOperations.Log2((uint)slots);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int Probe(object item)
    {
        Entry[] entries = _entries;
        int slot = (int)((ulong)Unsafe.As<object, nint>(ref item) * 0x9E3779B97F4A7C15UL >> _shift);
        while (entries[slot].Key is { } key && !ReferenceEquals(key, item))
            slot = (slot + 1) & (entries.Length - 1);
        return slot;
    }

    // A structure, since storing into an array of references would check the element's type.
    private struct Entry
    {
        public object? Key;
        public int Number;
    }
}
