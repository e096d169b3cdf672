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
internal sealed class RoomStock
{
    private const long LeastChunkBytes = 64 << 10;
    private const long LargestChunkBytes = 1 << 20;
    private const int ExtentsOfArea = 64;
    private const int ClearedBytes = 8;
    private const long LeastRestBytes = 2 * RecordHead.Bytes; // a shorter rest would serve nobody

    private readonly Lock _growing = new();
    private readonly IBlockFile _file;
    private readonly FileLayout _layout;
    private readonly RoomShard[] _shards;
    private readonly FreeExtents _others;
    private long _end;

    internal RoomStock(IBlockFile file, FileLayout layout)
    {
        _file = file;
        _layout = layout;
        _others = new FreeExtents(TryForgetWord);
        _end = Math.Max(file.Size, layout.AreaStart);
        _shards = new RoomShard[Math.Clamp(Environment.ProcessorCount, 2, 16)];
        for (int i = 0; i < _shards.Length; i++)
            _shards[i] = new RoomShard();
    }

    /// <summary>Where the area of rooms ends.</summary>
    internal long End => Volatile.Read(ref _end);

    /// <summary>Has a function count while no room is taken or given; it is told where the area ends, and what of it is free.</summary>
    internal T Count<T>(Func<long, long, T> count)
    {
        lock (_growing)
        {
            int held = 0;
            try
            {
                for (; held < _shards.Length; held++)
                    _shards[held].Hold();
                long free = _others.Bytes;
                foreach (RoomShard shard in _shards)
                    free += shard.FreeBytesHeld;
                return count(_end, free);
            }
            finally
            {
                while (held > 0)
                    _shards[--held].LetGo();
            }
        }
    }

    /// <summary>Takes a room.</summary>
    /// <exception cref="BlockFileFullException">There is none, and the file can't grow.</exception>
    internal Room Take(int stripe, long bytes)
    {
        long roomBytes = RoomClasses.RoomFor(bytes, _layout.Alignment);
        if (roomBytes > RoomClasses.LargestBytes)
            return TakeOther(roomBytes);
        RoomShard shard = _shards[stripe % _shards.Length];
        int roomClass = RoomClasses.ClassOf(roomBytes);
        long offset = shard.TryTake(roomClass, roomBytes, mayCut: true);
        return offset >= 0 ? new Room(offset, roomBytes) : TakeSlowly(shard, roomClass, roomBytes);
    }

    /// <summary>Gives a room back, in which nothing counts.</summary>
    internal void Give(int stripe, Room room)
    {
        if (RoomClasses.HasClass(room.Bytes, _layout.Alignment))
        {
            _shards[stripe % _shards.Length].Give(RoomClasses.ClassOf(room.Bytes), room.Offset, room.Bytes);
            return;
        }
        lock (_growing)
            _others.Add(room);
    }

    /// <summary>Has a scan find no room at an offset any more: by its word it would pass over what comes to lie behind.</summary>
    internal void ForgetWord(long offset)
    {
        Span<byte> nothing = stackalloc byte[ClearedBytes];
        nothing.Clear();
        _file.WriteAt(offset, nothing);
    }

    /// <summary>Forgets all rooms; the file is to have none behind an offset.</summary>
    internal void Reset(long end)
    {
        lock (_growing)
        {
            _others.Clear();
            for (int i = 0; i < _shards.Length; i++)
                _shards[i] = new RoomShard();
            Volatile.Write(ref _end, end);
        }
    }

    /// <summary>Has the area end at an offset behind which nothing is free or used.</summary>
    internal void EndAt(long end)
    {
        lock (_growing)
            Volatile.Write(ref _end, end);
    }

    private Room TakeSlowly(RoomShard shard, int roomClass, long roomBytes)
    {
        foreach (RoomShard other in _shards)
        {
            if (other.TryTake(roomClass, roomBytes, mayCut: false) is >= 0 and var offset)
                return new Room(offset, roomBytes);
        }
        lock (_growing)
        {
            long offset = shard.TryTake(roomClass, roomBytes, mayCut: true); // another thread has brought an extent
            if (offset >= 0)
                return new Room(offset, roomBytes);
            Room chunk;
            try
            {
                chunk = TakeChunkLocked(roomBytes);
            }
            catch (BlockFileFullException)
            {
                if (TryTakeLargerLocked(roomClass, roomBytes) is { } larger)
                    return larger;
                throw;
            }
            Room rest = shard.Exchange(new Room(chunk.Offset + roomBytes, chunk.Bytes - roomBytes));
            if (rest.Bytes > 0)
                _others.Add(rest);
            return new Room(chunk.Offset, roomBytes);
        }
    }

    private Room TakeChunkLocked(long roomBytes)
    {
        long good = Math.Clamp((_end - _layout.AreaStart) / ExtentsOfArea, LeastChunkBytes, LargestChunkBytes);
        good = Math.Max(good & -FileLayout.HeadBytes, (roomBytes + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes);
        if (_others.Find(roomBytes) is { } extent)
            return TakeFrontLocked(extent, extent.Bytes <= LargestChunkBytes ? extent.Bytes : good);
        try
        {
            return GrowLocked(good);
        }
        catch (BlockFileFullException) when (roomBytes + FileLayout.HeadBytes <= good)
        {
            return GrowLocked((roomBytes + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes);
        }
    }

    private Room TakeOther(long roomBytes)
    {
        lock (_growing)
        {
            return _others.Find(roomBytes) is { } extent ? TakeFrontLocked(extent, roomBytes) : GrowLocked(roomBytes);
        }
    }

    private Room TakeFrontLocked(Room extent, long bytes)
    {
        ForgetWord(extent.Offset);
        _others.Remove(extent);
        if (extent.Bytes > bytes)
            _others.Add(new Room(extent.Offset + bytes, extent.Bytes - bytes));
        return extent with { Bytes = bytes };
    }

    // When the disk is full: a part of a room that is longer than it need be. What is over serves the next ones.
    private Room? TryTakeLargerLocked(int roomClass, long roomBytes)
    {
        for (int larger = roomClass + 1; larger < RoomClasses.Count; larger++)
        {
            long bytes = RoomClasses.BytesOf(larger);
            foreach (RoomShard shard in _shards)
            {
                if (RoomClasses.HasClass(bytes, _layout.Alignment) && shard.TryTake(larger, bytes, mayCut: false) is >= 0 and var offset)
                    return CutLocked(shard, larger, new Room(offset, bytes), roomBytes);
            }
        }
        return null;
    }

    private Room CutLocked(RoomShard shard, int roomClass, Room room, long roomBytes)
    {
        if (room.Bytes - roomBytes < LeastRestBytes)
            return room;
        try
        {
            ForgetWord(room.Offset);
        }
        catch
        {
            shard.Give(roomClass, room.Offset, room.Bytes);
            throw;
        }
        _others.Add(new Room(room.Offset + roomBytes, room.Bytes - roomBytes));
        return room with { Bytes = roomBytes };
    }

    private Room GrowLocked(long bytes)
    {
        if (_end > _layout.MaxBytes - bytes)
        {
            throw new BlockFileFullException(
                $"'{_file.Path}' would have {_end + bytes:N0} bytes, and offsets of {_layout.OffsetWidth} bytes lead no further than to "
                + $"{_layout.MaxBytes:N0}. Nothing was written. Call Rebuild with HashTuning.OffsetWidth 8.");
        }
        long offset = _file.Expand(bytes);
        Volatile.Write(ref _end, offset + bytes);
        return new Room(offset, bytes);
    }

    // What was a room is a part of a larger piece from now on; cut anew, it may have a room in its middle.
    private bool TryForgetWord(Room room)
    {
        try
        {
            ForgetWord(room.Offset);
            return true;
        }
        catch (IOException)
        {
            return false; // the two stay what they are
        }
    }
}
