using System;
using System.Threading;

namespace BigPile.Hash.Space;

/// <summary>Free rooms of each class, and an extent from whose front rooms are cut; for the records of some stripes.</summary>
/// <remarks>Thread safety: all members may be called concurrently. No other lock is taken inside.</remarks>
internal sealed class ExtentShard
{
    private readonly Lock _lock = new();
    private readonly long[]?[] _free = new long[]?[ExtentClasses.Count];
    private readonly int[] _counts = new int[ExtentClasses.Count];
    private Extent _chunk;
    private long _freeBytes;

    /// <summary>All that is free here, for who holds it.</summary>
    internal long FreeBytesLocked => _freeBytes;

    /// <summary>Has nothing be taken or given until it is let go.</summary>
    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    /// <summary>A room of a class, or from the extent; -1 where there is none.</summary>
    internal long TryAllocate(int extentClass, long extentBytes, bool mayCutChunk)
    {
        lock (_lock)
        {
            int count = _counts[extentClass];
            long offset = -1;
            if (count > 0)
            {
                offset = _free[extentClass]![count - 1];
                _counts[extentClass] = count - 1;
            }
            else if (mayCutChunk && _chunk.Bytes >= extentBytes)
            {
                offset = _chunk.Offset;
                _chunk = new Extent(offset + extentBytes, _chunk.Bytes - extentBytes);
            }
            if (offset >= 0)
                _freeBytes -= extentBytes;
            return offset;
        }
    }

    internal void Free(int extentClass, long offset, long extentBytes)
    {
        lock (_lock)
        {
            int count = _counts[extentClass];
            long[] stack = _free[extentClass] ??= new long[16];
            if (count == stack.Length)
                Array.Resize(ref _free[extentClass], count * 2);
            _free[extentClass]![count] = offset;
            _counts[extentClass] = count + 1;
            _freeBytes += extentBytes;
        }
    }

    /// <summary>Gives another extent, and returns what is left of the one before.</summary>
    internal Extent ExchangeChunk(Extent chunk)
    {
        lock (_lock)
        {
            Extent before = _chunk;
            _chunk = chunk;
            _freeBytes += chunk.Bytes - before.Bytes;
            return before;
        }
    }
}
