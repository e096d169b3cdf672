using System;
using System.Threading;

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
            if (_counts[head]++ == 0)
                Interlocked.Or(ref _objects[head].Holders, _bit);
        }
    }

    /// <summary>Releases a reference. When the last process has released its last one, the object is free.</summary>
    internal void Release(long head)
    {
        lock (_locks[head % Stripes])
        {
            if (!_isClosed && --_counts[head] == 0)
                Interlocked.And(ref _objects[head].Holders, ~_bit);
        }
    }

    /// <summary>Stops all changes by this process: another process may soon own its slot.</summary>
    internal void Close()
    {
        foreach (Lock stripe in _locks)
            stripe.Enter();
        _isClosed = true;
        foreach (Lock stripe in _locks)
            stripe.Exit();
    }

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, _objects);
}
