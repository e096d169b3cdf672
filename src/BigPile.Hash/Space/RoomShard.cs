using System;
using System.Threading;

namespace BigPile.Hash.Space;

/// <summary>Free rooms of each class, and an extent from whose front rooms are cut; for the records of some stripes.</summary>
/// <remarks>Thread safety: all members may be called concurrently. No other lock is taken inside.</remarks>
internal sealed class RoomShard
{
    private readonly Lock _lock = new();
    private readonly long[]?[] _free = new long[]?[RoomClasses.Count];
    private readonly int[] _counts = new int[RoomClasses.Count];
    private Room _chunk;
    private long _freeBytes;

    /// <summary>All that is free here, for who holds it.</summary>
    internal long FreeBytesHeld => _freeBytes;

    /// <summary>Has nothing be taken or given until it is let go.</summary>
    internal void Hold() => _lock.Enter();

    internal void LetGo() => _lock.Exit();

    /// <summary>A room of a class, or from the extent; -1 where there is none.</summary>
    internal long TryTake(int roomClass, long roomBytes, bool mayCut)
    {
        lock (_lock)
        {
            int count = _counts[roomClass];
            long offset = -1;
            if (count > 0)
            {
                offset = _free[roomClass]![count - 1];
                _counts[roomClass] = count - 1;
            }
            else if (mayCut && _chunk.Bytes >= roomBytes)
            {
                offset = _chunk.Offset;
                _chunk = new Room(offset + roomBytes, _chunk.Bytes - roomBytes);
            }
            if (offset >= 0)
                _freeBytes -= roomBytes;
            return offset;
        }
    }

    internal void Give(int roomClass, long offset, long roomBytes)
    {
        lock (_lock)
        {
            int count = _counts[roomClass];
            long[] stack = _free[roomClass] ??= new long[16];
            if (count == stack.Length)
                Array.Resize(ref _free[roomClass], count * 2);
            _free[roomClass]![count] = offset;
            _counts[roomClass] = count + 1;
            _freeBytes += roomBytes;
        }
    }

    /// <summary>Gives another extent, and returns what is left of the one before.</summary>
    internal Room Exchange(Room chunk)
    {
        lock (_lock)
        {
            Room before = _chunk;
            _chunk = chunk;
            _freeBytes += chunk.Bytes - before.Bytes;
            return before;
        }
    }
}
