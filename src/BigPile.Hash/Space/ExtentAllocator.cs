using System;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Hash.Format;

namespace BigPile.Hash.Space;

/// <summary>All free rooms of a file; it grows when there is none.</summary>
/// <remarks>
/// Free rooms of a class are kept by shards, and never joined. Others (large ones, rests of extents, gaps that a recovery found) are joined
/// with their neighbours; the best fit is taken, and cut; so are rooms of a class when the file can't grow. What a scan finds at the
/// beginning of a room stays true: the first word of one that is cut, or joined to the one in front, is cleared before any part of it is
/// used. Order of locks: the one for growth, then a shard's; of shards only who counts holds more than one.
/// </remarks>
internal sealed class ExtentAllocator
{
    private const long LeastChunkBytes = 64 << 10;
    private const long LargestChunkBytes = 1 << 20;
    private const int ChunksOfArea = 64;
    private const int ClearedBytes = 8;
    private const long LeastRemainderBytes = 2 * RecordHead.Bytes; // a shorter rest would serve nobody

    private readonly Lock _growLock = new();
    private readonly IBlockFile _file;
    private readonly FileLayout _layout;
    private readonly ExtentShard[] _shards;
    private readonly FreeExtents _coalesced;
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

    /// <summary>Where the area of rooms ends.</summary>
    internal long End => Volatile.Read(ref _end);

    /// <summary>Has a function count while no room is taken or given; it is told where the area ends, and what of it is free.</summary>
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
                return measure(_end, free);
            }
            finally
            {
                while (held > 0)
                    _shards[--held].ExitLock();
            }
        }
    }

    /// <summary>Takes a room.</summary>
    /// <exception cref="BlockFileFullException">There is none, and the file can't grow.</exception>
    internal Extent Allocate(int stripe, long bytes)
    {
        long extentBytes = ExtentClasses.ExtentBytesFor(bytes, _layout.Alignment);
        if (extentBytes > ExtentClasses.LargestBytes)
            return AllocateLarge(extentBytes);
        ExtentShard shard = _shards[stripe % _shards.Length];
        int extentClass = ExtentClasses.ClassOf(extentBytes);
        long offset = shard.TryAllocate(extentClass, extentBytes, mayCutChunk: true);
        return offset >= 0 ? new Extent(offset, extentBytes) : AllocateSlowly(shard, extentClass, extentBytes);
    }

    /// <summary>Gives a room back, in which nothing counts.</summary>
    internal void Free(int stripe, Extent extent)
    {
        if (ExtentClasses.HasClass(extent.Bytes, _layout.Alignment))
        {
            _shards[stripe % _shards.Length].Free(ExtentClasses.ClassOf(extent.Bytes), extent.Offset, extent.Bytes);
            return;
        }
        lock (_growLock)
            _coalesced.Add(extent);
    }

    /// <summary>Has a scan find no room at an offset any more: by its word it would pass over what comes to lie behind.</summary>
    internal void ClearWord(long offset)
    {
        Span<byte> zeros = stackalloc byte[ClearedBytes];
        zeros.Clear();
        _file.WriteAt(offset, zeros);
    }

    /// <summary>Forgets all rooms; the file is to have none behind an offset.</summary>
    internal void Reset(long end)
    {
        lock (_growLock)
        {
            _coalesced.Clear();
            for (int i = 0; i < _shards.Length; i++)
                _shards[i] = new ExtentShard();
            Volatile.Write(ref _end, end);
        }
    }

    /// <summary>Has the area end at an offset behind which nothing is free or used.</summary>
    internal void SetEnd(long end)
    {
        lock (_growLock)
            Volatile.Write(ref _end, end);
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
            long offset = shard.TryAllocate(extentClass, extentBytes, mayCutChunk: true); // another thread has brought an extent
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
            if (rest.Bytes > 0)
                _coalesced.Add(rest);
            return new Extent(chunk.Offset, extentBytes);
        }
    }

    private Extent TakeChunkLocked(long extentBytes)
    {
        long wanted = Math.Clamp((_end - _layout.AreaStart) / ChunksOfArea, LeastChunkBytes, LargestChunkBytes);
        wanted = Math.Max(wanted & -FileLayout.HeadBytes, (extentBytes + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes);
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
        ClearWord(extent.Offset);
        _coalesced.Remove(extent);
        if (extent.Bytes > bytes)
            _coalesced.Add(new Extent(extent.Offset + bytes, extent.Bytes - bytes));
        return extent with { Bytes = bytes };
    }

    // When the disk is full: a part of a room that is longer than it need be. What is over serves the next ones.
    private Extent? TryTakeLargerLocked(int extentClass, long extentBytes)
    {
        for (int larger = extentClass + 1; larger < ExtentClasses.Count; larger++)
        {
            long bytes = ExtentClasses.BytesOf(larger);
            foreach (ExtentShard shard in _shards)
            {
                if (ExtentClasses.HasClass(bytes, _layout.Alignment) && shard.TryAllocate(larger, bytes, mayCutChunk: false) is >= 0 and var offset)
                    return CutLocked(shard, larger, new Extent(offset, bytes), extentBytes);
            }
        }
        return null;
    }

    private Extent CutLocked(ExtentShard shard, int extentClass, Extent extent, long extentBytes)
    {
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
        if (_end > _layout.MaxBytes - bytes)
        {
            throw new BlockFileFullException(
                $"'{_file.Path}' would have {_end + bytes:N0} bytes, and offsets of {_layout.OffsetWidth} bytes lead no further than to "
                + $"{_layout.MaxBytes:N0}. Nothing was written. Call Rebuild with HashTuning.OffsetWidth 8.");
        }
        long offset = _file.Expand(bytes);
        Volatile.Write(ref _end, offset + bytes);
        return new Extent(offset, bytes);
    }

    // What was a room is a part of a larger piece from now on; cut anew, it may have a room in its middle.
    private bool TryClearWord(Extent extent)
    {
        try
        {
            ClearWord(extent.Offset);
            return true;
        }
        catch (IOException)
        {
            return false; // the two stay what they are
        }
    }
}
