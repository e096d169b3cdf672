using System;
using System.Diagnostics;
using BigPile.Memory.Checking;

namespace BigPile.Codec.Graph;

/// <summary>A FIFO queue that frees its array after a huge graph.</summary>
internal sealed class WorkQueue<T>
{
    private const int KeptItemsMost = 4096;

    // The queue is _items[_head.._tail].
    private T[] _items = [];
    private int _head;
    private int _tail;

    /// <summary>How many items were added since the last reset.</summary>
    public int Added { get; private set; }

    public void Enqueue(T item)
    {
        if (_tail == _items.Length)
            GrowOrCompact();
        _items[_tail++] = item;
        Added++;
    }

    public bool TryDequeue(out T item)
    {
        if (_head == _tail)
        {
            item = default!;
            return false;
        }
        Debug.Assert(_head < _tail, "The queue ends behind its first item.");
        item = _items[_head];
        _items[_head++] = default!;
        return true;
    }

    public void Reset()
    {
        if (Added == 0)
            return;
        if (_items.Length > KeptItemsMost)
            _items = [];
        else
            Array.Clear(_items);
        _head = _tail = Added = 0;
    }

    /// <summary>Checks the queue, for tests: what is not in it is cleared, and it keeps no huge array when it is empty.</summary>
    internal void CheckInvariants()
    {
        const string Structure = "WorkQueue";
        Invariant.Between(Structure, 0, "first item", _head, 0, _tail);
        Invariant.Between(Structure, 0, "end", _tail, 0, _items.Length);
        Invariant.Between(Structure, 0, "items since the last reset", Added, _tail - _head, int.MaxValue);
        if (Added == 0)
            Invariant.Between(Structure, 0, "places", _items.Length, 0, KeptItemsMost);
        for (int i = 0; i < _items.Length; i++)
        {
            if (i < _head || i >= _tail)
                Invariant.Equal(Structure, i, "what a free place holds", _items[i], default);
        }
    }

    private void GrowOrCompact()
    {
        int count = _tail - _head;
        T[] target = count > _items.Length / 2 || count == 0 ? new T[Math.Max(16, count * 2)] : _items;
        Array.Copy(_items, _head, target, 0, count);
        if (ReferenceEquals(target, _items))
            Array.Clear(_items, count, _tail - count);
        _items = target;
        _head = 0;
        _tail = count;
        Debug.Assert(_tail < _items.Length, "There is a place behind the last item.");
    }
}
