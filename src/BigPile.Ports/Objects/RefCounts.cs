using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Ports.Objects;

/// <summary>
/// The objects that this process holds: a private count for each, and one shared bit in the object, which other processes see.
/// </summary>
/// <remarks>
/// Count and bit of an object change together under a lock: otherwise one thread could clear the bit that another one has just relied on.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class RefCounts
{
    private const string Structure = "References to the object at granule";
    private const int Stripes = 64;

    private readonly ObjectTable _objects;
    // The references of this process, by first granule. Guarded by the granule's lock in _locks.
    private readonly int[] _counts;
    private readonly Lock[] _locks = new Lock[Stripes];
    // The bit of this process's slot in each holder mask.
    private readonly ulong _bit;
    private volatile bool _isClosed;

    internal RefCounts(ObjectTable objects, int slot)
    {
        _objects = objects;
        _counts = new int[objects.Shape.Granules];
        _bit = 1UL << slot;
        for (int i = 0; i < Stripes; i++)
            _locks[i] = new Lock();
    }

    /// <summary>Whether the arena was closed, and nothing is held any more.</summary>
    internal bool IsClosed => _isClosed;

    /// <summary>Tries to become the first holder of the object that begins at a granule.</summary>
    internal bool TryAcquireFirst(long head)
    {
        lock (_locks[head % Stripes])
        {
            ThrowIfClosed();
            Debug.Assert(_counts[head] >= 0, "A reference that was released twice would end an object that others of this process hold.");
            if (_counts[head] != 0 || Interlocked.CompareExchange(ref _objects[head].Holders, _bit, 0) != 0)
                return false;
            _counts[head] = 1;
            return true;
        }
    }

    /// <summary>Adds a reference. The caller knows that the object lives: by a reference of its own, or by checking afterwards.</summary>
    internal void AddRef(long head)
    {
        lock (_locks[head % Stripes])
        {
            ThrowIfClosed();
            Debug.Assert(_counts[head] is >= 0 and < int.MaxValue, "A count is the number of references, and does not wrap.");
            if (_counts[head]++ == 0)
                Interlocked.Or(ref _objects[head].Holders, _bit);
        }
    }

    /// <summary>Releases a reference. When the last process has released its last one, the object is free.</summary>
    internal void Release(long head)
    {
        lock (_locks[head % Stripes])
        {
            Debug.Assert(_isClosed || _counts[head] > 0, "Only what is held is released.");
            if (!_isClosed && --_counts[head] == 0)
                Interlocked.And(ref _objects[head].Holders, ~_bit);
        }
    }

    /// <summary>Stops all changes by this process: another process may soon own its slot.</summary>
    internal void Close()
    {
        Debug.Assert(!_isClosed, "Another process may have the slot already.");
        foreach (Lock stripe in _locks)
            stripe.Enter();
        _isClosed = true;
        foreach (Lock stripe in _locks)
            stripe.Exit();
    }

    /// <summary>Whether this process holds the object that begins at a granule, for assertions and tests.</summary>
    internal bool IsHeld(long head)
    {
        lock (_locks[head % Stripes])
            return _counts[head] > 0;
    }

    /// <summary>Checks that this process's bit is set where it has references, for tests. Others may go on meanwhile.</summary>
    internal void CheckInvariants()
    {
        for (long head = 0; head < _counts.Length && !_isClosed; head++)
        {
            lock (_locks[head % Stripes])
            {
                Invariant.True(Structure, head, "count that is not negative", _counts[head] >= 0);
                bool isBitSet = (Volatile.Read(ref _objects[head].Holders) & _bit) != 0;
                Invariant.Equal(Structure, head, "bit of this process", isBitSet, _counts[head] > 0);
            }
        }
    }

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, _objects);
}
