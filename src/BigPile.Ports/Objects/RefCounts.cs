using System;
using System.Threading;

namespace BigPile.Ports.Objects;

/// <summary>What this process holds: how often, which is its own affair, and by one bit in each object, which others see.</summary>
/// <remarks>
/// Count and bit of an object change together under a lock of the process: else one thread could take the bit away that another one has
/// just relied on. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class RefCounts
{
    private const int Stripes = 64;

    private readonly ObjectTable _objects;
    private readonly int[] _counts;
    private readonly Lock[] _locks = new Lock[Stripes];
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

    /// <summary>Tries to be the first that holds what begins at a granule.</summary>
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

    /// <summary>Holds an object once more. The caller knows that it lives: by a hold of its own, or by looking again behind this.</summary>
    internal void AddRef(long head)
    {
        lock (_locks[head % Stripes])
        {
            ThrowIfClosed();
            if (_counts[head]++ == 0)
                Interlocked.Or(ref _objects[head].Holders, _bit);
        }
    }

    /// <summary>Gives one hold back. Behind the last of the last process the object is free.</summary>
    internal void Release(long head)
    {
        lock (_locks[head % Stripes])
        {
            if (!_isClosed && --_counts[head] == 0)
                Interlocked.And(ref _objects[head].Holders, ~_bit);
        }
    }

    /// <summary>From now on this process changes no object: its slot may soon be another one's.</summary>
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
