using System;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

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

    private object?[] _keys = new object?[InitialSlots];
    private int[] _numbers = new int[InitialSlots];
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
        if (_keys[slot] is not null)
            return _numbers[slot];
        return GC.CollectionCount(0) == _collections ? Add(item, slot) : FindOrAddAfterCollection(item);
    }

    public void Reset()
    {
        if (_count == 0)
            return;
        if (_count <= SparseResetMost)
        {
            for (int i = 0; i < _count; i++)
                _keys[_used[i]] = null;
        }
        else if (_keys.Length > KeptSlotsMost)
        {
            Resize(InitialSlots);
        }
        else
        {
            Array.Clear(_keys);
        }
        _count = 0;
    }

    private int Add(object item, int slot)
    {
        _keys[slot] = item;
        _numbers[slot] = _count;
        if (_count < SparseResetMost)
            _used[_count] = slot;
        _count++;
        if (_count * 2 > _keys.Length)
            Rebuild(_keys.Length * 2);
        return -1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int FindOrAddAfterCollection(object item)
    {
        while (true)
        {
            Rebuild(_keys.Length);
            int slot = Probe(item);
            if (_keys[slot] is not null)
                return _numbers[slot];
            if (GC.CollectionCount(0) == _collections)
                return Add(item, slot);
        }
    }

    // The stamp is taken before the first address: a collection in between makes the next miss rebuild once more.
    private void Rebuild(int slots)
    {
        object?[] keys = _keys;
        int[] numbers = _numbers;
        _collections = GC.CollectionCount(0);
        Resize(slots);
        for (int i = 0; i < keys.Length; i++)
        {
            if (keys[i] is not { } item)
                continue;
            int slot = Probe(item);
            _keys[slot] = item;
            _numbers[slot] = numbers[i];
            if (numbers[i] < SparseResetMost)
                _used[numbers[i]] = slot;
        }
    }

    private void Resize(int slots)
    {
        _keys = new object?[slots];
        _numbers = new int[slots];
        _shift = 64 - System.Numerics.BitOperations.Log2((uint)slots);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int Probe(object item)
    {
        object?[] keys = _keys;
        int slot = (int)((ulong)Unsafe.As<object, nint>(ref item) * 0x9E3779B97F4A7C15UL >> _shift);
        while (keys[slot] is { } key && !ReferenceEquals(key, item))
            slot = (slot + 1) & (keys.Length - 1);
        return slot;
    }
}
