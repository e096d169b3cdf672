using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Space;

/// <summary>
/// A shard of the allocator: free extents of each class, and a chunk from whose front extents are cut. Each stripe uses one shard.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently. No other lock is taken while this one is held.</remarks>
internal sealed class ExtentShard
{
    private readonly Lock _lock = new();
    // Per class: the stack of offsets of free extents, and its height. All fields are guarded by _lock.
    private readonly long[]?[] _free = new long[]?[ExtentClasses.Count];
    private readonly int[] _counts = new int[ExtentClasses.Count];
    // Its front is cut for new extents.
    private Extent _chunk;
    // The bytes of all free extents and of the chunk.
    private long _freeBytes;

    /// <summary>The free bytes. The caller holds the lock.</summary>
    internal long FreeBytesLocked => _freeBytes;

    /// <summary>Locks the shard until <see cref="ExitLock"/>.</summary>
    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    /// <summary>Allocates an extent of a class, or cuts one from the chunk; -1 if there is none.</summary>
    internal long TryAllocate(int extentClass, long extentBytes, bool mayCutChunk)
    {
        Debug.Assert(ExtentClasses.BytesOf(extentClass) == extentBytes, "Class and length agree.");
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
            Debug.Assert(_freeBytes >= _chunk.Bytes, "What was allocated was free, and the chunk still is.");
            return offset;
        }
    }

    internal void Free(int extentClass, long offset, long extentBytes)
    {
        Debug.Assert(ExtentClasses.BytesOf(extentClass) == extentBytes, "Class and length agree.");
        lock (_lock)
        {
            Debug.Assert(
                offset + extentBytes <= _chunk.Offset || offset >= _chunk.Offset + _chunk.Bytes, "What is freed is not in the chunk.");
            int count = _counts[extentClass];
            long[] stack = _free[extentClass] ??= new long[16];
            if (count == stack.Length)
                Array.Resize(ref _free[extentClass], count * 2);
            Debug.Assert(count == 0 || stack[count - 1] != offset, "An extent is freed once.");
            _free[extentClass]![count] = offset;
            _counts[extentClass] = count + 1;
            _freeBytes += extentBytes;
        }
    }

    /// <summary>Replaces the chunk, and returns the rest of the old one.</summary>
    internal Extent ExchangeChunk(Extent chunk)
    {
        lock (_lock)
        {
            Extent before = _chunk;
            _chunk = chunk;
            _freeBytes += chunk.Bytes - before.Bytes;
            Debug.Assert(_freeBytes >= chunk.Bytes, "The chunk that went was counted.");
            return before;
        }
    }

    /// <summary>Checks the count of free bytes, and adds free extents to one list, the chunk to another; for tests.</summary>
    /// <exception cref="InvalidOperationException">It is wrong.</exception>
    internal void CheckInvariants(int number, int alignment, List<Extent> free, List<Extent> chunks)
    {
        const string Structure = "ExtentShard";
        lock (_lock)
        {
            long bytes = _chunk.Bytes;
            for (int extentClass = 0; extentClass < ExtentClasses.Count; extentClass++)
            {
                long extentBytes = ExtentClasses.BytesOf(extentClass);
                int count = _counts[extentClass];
                Invariant.Between(Structure, number, "height of a stack", count, 0, _free[extentClass]?.Length ?? 0);
                bool isAligned = count == 0 || ExtentClasses.HasClass(extentBytes, alignment);
                Invariant.True(Structure, extentClass, "length a class of this alignment", isAligned);
                bytes += count * extentBytes;
                for (int i = 0; i < count; i++)
                    free.Add(new Extent(_free[extentClass]![i], extentBytes));
            }
            Invariant.Equal(Structure, number, "free bytes", _freeBytes, bytes);
            if (_chunk.Bytes != 0)
                chunks.Add(_chunk);
        }
    }
}
