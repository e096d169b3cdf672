using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Memory.Checking;

namespace BigPile.Codec.Graph;

/// <summary>Numbers objects in the order of their first visit, and finds objects that were visited before.</summary>
/// <remarks>
/// A hash table with open addressing and linear probing. The hash is the object's current address: an identity hash code would cost 20 ns
/// at the first visit, and write into the header of the user's object. The garbage collector may move objects, so the table is rebuilt
/// after a collection. Thread safety: none.
/// </remarks>
internal sealed class ReferenceTable
{
    private const int InitialSlots = 256;
    private const int SparseResetMost = 64;
    private const int KeptSlotsMost = 64 * 1024;

    // The hash table: its length is a power of 2, and at most half of it is in use. A null key ends a probe.
    private Entry[] _entries = new Entry[InitialSlots];

    // Where the first SparseResetMost objects are in _entries, by number: Reset clears only these if there are no more.
    private readonly int[] _used = new int[SparseResetMost];

    // How far a 64-bit hash is shifted right to give an index of _entries.
    private int _shift = 64 - 8;

    // Objects in the table.
    private int _count;

    // How many collections had run when the hashes were computed.
    private int _collections;

    /// <summary>The number of objects in the table.</summary>
    public int Count => _count;

    /// <summary>Finds the number of an object, or adds the object.</summary>
    /// <returns>The number of an object that was visited before, or -1 if it was added now.</returns>
    public int FindOrAdd(object item)
    {
        Debug.Assert(_count * 2 <= _entries.Length, "At most half of the table is in use, so each probe finds a free entry.");
        if (_count == 0)
            _collections = GC.CollectionCount(0);
        int index = Probe(item);
        // A hit is always right, since keys are compared by reference.
        if (_entries[index].Key is not null)
            return _entries[index].Number;
        // A miss is right only if no collection has moved the object since its hash was computed.
        return GC.CollectionCount(0) == _collections ? Add(item, index) : FindOrAddAfterCollection(item);
    }

    public void Reset()
    {
        if (_count == 0)
            return;
        if (_count <= SparseResetMost)
        {
            for (int i = 0; i < _count; i++)
            {
                Debug.Assert(_entries[_used[i]] is { Key: not null } entry && entry.Number == i, "An object is where the list says.");
                _entries[_used[i]] = default;
            }
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

    /// <summary>Checks the table, for tests: each number up to the count is that of one object.</summary>
    internal void CheckInvariants()
    {
        const string Structure = "ReferenceTable";
        Invariant.True(Structure, 0, "a power of 2 as length", BitOperations.IsPow2(_entries.Length));
        Invariant.Equal(Structure, 0, "shift", _shift, 64 - BitOperations.Log2((uint)_entries.Length));
        Invariant.Between(Structure, 0, "count", _count, 0, _entries.Length / 2);
        var numbers = new BitArray(_count);
        var objects = new HashSet<object>(ReferenceEqualityComparer.Instance);
        for (int i = 0; i < _entries.Length; i++)
        {
            if (_entries[i] is not { Key: { } key, Number: var number })
                continue;
            Invariant.Between(Structure, i, "number", number, 0, _count - 1);
            Invariant.False(Structure, i, "whether its number is taken", numbers[number]);
            Invariant.True(Structure, i, "whether its object is new", objects.Add(key));
            numbers[number] = true;
            if (number < SparseResetMost)
                Invariant.Equal(Structure, number, "place in the list", _used[number], i);
        }
        Invariant.Equal(Structure, 0, "objects", objects.Count, _count);
    }

    private int Add(object item, int index)
    {
        Debug.Assert(_entries[index].Key is null, "A new object gets a free entry.");
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

    private void Rebuild(int capacity)
    {
        Entry[] entries = _entries;
        // Count collections before the first address is taken: if one runs in between, the next miss rebuilds once more.
        _collections = GC.CollectionCount(0);
        Resize(capacity);
        foreach (Entry entry in entries)
        {
            if (entry.Key is null)
                continue;
            int index = Probe(entry.Key);
            Debug.Assert(_entries[index].Key is null, "An object is in the table once.");
            Debug.Assert(entry.Number >= 0 && entry.Number < _count, "Each number up to the count is that of one object.");
            _entries[index] = entry;
            if (entry.Number < SparseResetMost)
                _used[entry.Number] = index;
        }
    }

    private void Resize(int capacity)
    {
        Debug.Assert(BitOperations.IsPow2(capacity), "An index wraps around by a mask.");
        _entries = new Entry[capacity];
        _shift = 64 - BitOperations.Log2((uint)capacity);
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

    // A structure, because a store into an array of references checks the element's type.
    private struct Entry
    {
        // The object; null in a free entry.
        public object? Key;

        // Its number, in the order of first visits.
        public int Number;
    }
}
