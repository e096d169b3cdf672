using System;

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
    }
}
