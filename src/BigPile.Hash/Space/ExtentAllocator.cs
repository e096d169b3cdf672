using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Hash.Format;

namespace BigPile.Hash.Space;

/// <summary>Allocates extents of a file, which grows if none is free.</summary>
/// <remarks>
/// <para>
/// Free extents of a class belong to shards, and are never coalesced. Others (large ones, remainders of chunks, gaps found by a recovery)
/// are coalesced with their neighbours, allocated by best fit, and split; extents of a class are split, too, when the file cannot grow.
/// </para>
/// <para>
/// Invariant: what a scan finds at the beginning of an extent is true. So the first word of an extent that is split, or merged into the one
/// in front, is cleared before any part of it is used.
/// </para>
/// <para>
/// Lock order: the growth lock, then a shard. Only <see cref="Measure{T}"/> holds more than one shard.
/// </para>
/// </remarks>
internal sealed partial class ExtentAllocator
{
    private const long LeastChunkBytes = 64 << 10;
    private const long LargestChunkBytes = 1 << 20;
    private const int ChunksOfArea = 64;
    private const int ClearedBytes = 8;
    private const long LeastRemainderBytes = 2 * RecordHead.Bytes; // shorter extents would be of no use

    // Guards growth and _coalesced.
    private readonly Lock _growLock = new();
    private readonly IBlockFile _file;
    private readonly FileLayout _layout;
    private readonly ExtentShard[] _shards;
    // Free extents that have no class. Guarded by _growLock.
    private readonly FreeExtents _coalesced;
    // End of the extent area, in bytes. Written under _growLock, read by anybody.
    private long _end;

    internal ExtentAllocator(IBlockFile file, FileLayout layout)
    {
        _file = file;
        _layout = layout;
        _coalesced = new FreeExtents(TryClearWord);
        _end = Math.Max(file.Size, layout.AreaStart);
        _shards = new ExtentShard[Math.Clamp(Environment.ProcessorCount, 2, 16)];
        for (int i = 0; i < _shards.Length; i++)
            _shards[i] = new ExtentShard();
    }

    /// <summary>The end of the extent area.</summary>
    internal long End => Volatile.Read(ref _end);

    /// <summary>Calls a function while no extent is allocated or freed, with the end of the area and its free bytes.</summary>
    internal T Measure<T>(Func<long, long, T> measure)
    {
        lock (_growLock)
        {
            int held = 0;
            try
            {
                for (; held < _shards.Length; held++)
                    _shards[held].EnterLock();
                long free = _coalesced.Bytes;
                foreach (ExtentShard shard in _shards)
                    free += shard.FreeBytesLocked;
                Debug.Assert(free >= 0 && free <= _end - _layout.AreaStart, "No more is free than the area has.");
                return measure(_end, free);
            }
            finally
            {
                while (held > 0)
                    _shards[--held].ExitLock();
            }
        }
    }

    /// <summary>Allocates an extent.</summary>
    /// <exception cref="BlockFileFullException">No extent is free, and the file cannot grow.</exception>
    internal Extent Allocate(int stripe, long bytes)
    {
        Extent extent = AllocateAny(stripe, bytes);
        Debug.Assert(extent.Bytes >= bytes, "The extent has the bytes that were asked for.");
        Debug.Assert(IsInArea(extent), "What is allocated is aligned, and in the area.");
        return extent;
    }

    /// <summary>Frees an extent, which is marked dead or was never linked.</summary>
    internal void Free(int stripe, Extent extent)
    {
        Debug.Assert(IsInArea(extent), "What is freed is aligned, and in the area.");
        if (ExtentClasses.HasClass(extent.Bytes, _layout.Alignment))
        {
            _shards[stripe % _shards.Length].Free(ExtentClasses.ClassOf(extent.Bytes), extent.Offset, extent.Bytes);
            return;
        }
        lock (_growLock)
            _coalesced.Add(extent);
    }

    /// <summary>
    /// Clears the first word of an extent, so that a scan finds no extent there. Otherwise the scan would skip what is allocated behind
    /// that word.
    /// </summary>
    internal void ClearWord(long offset)
    {
        Debug.Assert(IsInArea(new Extent(offset, _layout.Alignment)), "The word is at the beginning of a unit of the area.");
        Span<byte> zeros = stackalloc byte[ClearedBytes];
        zeros.Clear();
        _file.WriteAt(offset, zeros);
    }

    /// <summary>Forgets all extents; the file must have none behind <paramref name="end"/>.</summary>
    internal void Reset(long end)
    {
        Debug.Assert(end >= _layout.AreaStart, "The area ends behind the buckets.");
        lock (_growLock)
        {
            _coalesced.Clear();
            for (int i = 0; i < _shards.Length; i++)
                _shards[i] = new ExtentShard();
            Volatile.Write(ref _end, end);
        }
    }

    /// <summary>Sets the end of the area. Nothing behind it is free or used.</summary>
    internal void SetEnd(long end)
    {
        Debug.Assert(end >= _layout.AreaStart, "The area ends behind the buckets.");
        lock (_growLock)
            Volatile.Write(ref _end, end);
    }

    private Extent AllocateAny(int stripe, long bytes)
    {
        Debug.Assert(stripe >= 0, "A remainder selects the shard.");
        long extentBytes = ExtentClasses.ExtentBytesFor(bytes, _layout.Alignment);
        if (extentBytes > ExtentClasses.LargestBytes)
            return AllocateLarge(extentBytes);
        ExtentShard shard = _shards[stripe % _shards.Length];
        int extentClass = ExtentClasses.ClassOf(extentBytes);
        long offset = shard.TryAllocate(extentClass, extentBytes, mayCutChunk: true);
        return offset >= 0 ? new Extent(offset, extentBytes) : AllocateSlowly(shard, extentClass, extentBytes);
    }

    private Extent AllocateSlowly(ExtentShard shard, int extentClass, long extentBytes)
    {
        foreach (ExtentShard other in _shards)
        {
            if (other.TryAllocate(extentClass, extentBytes, mayCutChunk: false) is >= 0 and var offset)
                return new Extent(offset, extentBytes);
        }
        lock (_growLock)
        {
            long offset = shard.TryAllocate(extentClass, extentBytes, mayCutChunk: true); // another thread may have brought a chunk
            if (offset >= 0)
                return new Extent(offset, extentBytes);
            Extent chunk;
            try
            {
                chunk = TakeChunkLocked(extentBytes);
            }
            catch (BlockFileFullException)
            {
                if (TryTakeLargerLocked(extentClass, extentBytes) is { } larger)
                    return larger;
                throw;
            }
            Extent rest = shard.ExchangeChunk(new Extent(chunk.Offset + extentBytes, chunk.Bytes - extentBytes));
            Debug.Assert(rest.Bytes < extentBytes, "A chunk goes only once it is too short.");
            if (rest.Bytes > 0)
                _coalesced.Add(rest);
            return new Extent(chunk.Offset, extentBytes);
        }
    }

    private Extent TakeChunkLocked(long extentBytes)
    {
        Debug.Assert(_growLock.IsHeldByCurrentThread, "The caller holds the growth lock.");
        long wanted = Math.Clamp((_end - _layout.AreaStart) / ChunksOfArea, LeastChunkBytes, LargestChunkBytes);
        wanted = Math.Max(wanted & -FileLayout.HeadBytes, (extentBytes + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes);
        Debug.Assert(wanted >= extentBytes, "A chunk has the extent that it is taken for.");
        if (_coalesced.Find(extentBytes) is { } extent)
            return TakeFrontLocked(extent, extent.Bytes <= LargestChunkBytes ? extent.Bytes : wanted);
        try
        {
            return GrowLocked(wanted);
        }
        catch (BlockFileFullException) when (extentBytes + FileLayout.HeadBytes <= wanted)
        {
            return GrowLocked((extentBytes + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes);
        }
    }

    private Extent AllocateLarge(long extentBytes)
    {
        lock (_growLock)
        {
            return _coalesced.Find(extentBytes) is { } extent ? TakeFrontLocked(extent, extentBytes) : GrowLocked(extentBytes);
        }
    }

    private Extent TakeFrontLocked(Extent extent, long bytes)
    {
        Debug.Assert(_growLock.IsHeldByCurrentThread, "The caller holds the growth lock.");
        Debug.Assert(bytes <= extent.Bytes, "The front is a part of the extent.");
        ClearWord(extent.Offset);
        _coalesced.Remove(extent);
        if (extent.Bytes > bytes)
            _coalesced.Add(new Extent(extent.Offset + bytes, extent.Bytes - bytes));
        return extent with { Bytes = bytes };
    }

    // The disk is full: splits a larger extent of a class. The remainder serves the next allocations.
    private Extent? TryTakeLargerLocked(int extentClass, long extentBytes)
    {
        Debug.Assert(_growLock.IsHeldByCurrentThread, "The caller holds the growth lock.");
        for (int larger = extentClass + 1; larger < ExtentClasses.Count; larger++)
        {
            long bytes = ExtentClasses.BytesOf(larger);
            foreach (ExtentShard shard in _shards)
            {
                if (ExtentClasses.HasClass(bytes, _layout.Alignment)
                    && shard.TryAllocate(larger, bytes, mayCutChunk: false) is >= 0 and var offset)
                    return CutLocked(shard, larger, new Extent(offset, bytes), extentBytes);
            }
        }
        return null;
    }

    private Extent CutLocked(ExtentShard shard, int extentClass, Extent extent, long extentBytes)
    {
        Debug.Assert(_growLock.IsHeldByCurrentThread, "The caller holds the growth lock.");
        if (extent.Bytes - extentBytes < LeastRemainderBytes)
            return extent;
        try
        {
            ClearWord(extent.Offset);
        }
        catch
        {
            shard.Free(extentClass, extent.Offset, extent.Bytes);
            throw;
        }
        _coalesced.Add(new Extent(extent.Offset + extentBytes, extent.Bytes - extentBytes));
        return extent with { Bytes = extentBytes };
    }

    private Extent GrowLocked(long bytes)
    {
        Debug.Assert(_growLock.IsHeldByCurrentThread, "The caller holds the growth lock.");
        Debug.Assert((bytes & (FileLayout.HeadBytes - 1)) == 0, "The file grows by whole pages.");
        if (_end > _layout.MaxBytes - bytes)
        {
            throw new BlockFileFullException(
                $"'{_file.Path}' would have {_end + bytes:N0} bytes, and offsets of {_layout.OffsetWidth} bytes lead no further than to "
                + $"{_layout.MaxBytes:N0}. Nothing was written. Call Rebuild with HashTuning.OffsetWidth 8.");
        }
        long offset = _file.Expand(bytes);
        Debug.Assert(offset == _end, "The area ends where the file does.");
        Volatile.Write(ref _end, offset + bytes);
        return new Extent(offset, bytes);
    }

    // Coalescing: the word of the rear extent must go. A later split may begin an extent within the length that it states, and a scan that
    // met it in a gap would skip that extent.
    private bool TryClearWord(Extent extent)
    {
        try
        {
            ClearWord(extent.Offset);
            return true;
        }
        catch (IOException)
        {
            return false; // the two extents stay separate
        }
    }
}

/// <summary>A contiguous part of the file.</summary>
internal readonly record struct Extent(long Offset, long Bytes);
