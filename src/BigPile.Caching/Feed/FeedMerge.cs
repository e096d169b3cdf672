using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching.Feed;

/// <summary>Copies the records of all lanes of a window in the order of their versions.</summary>
/// <remarks>Owned by one reader. The window stays while a copy is made: the caller is in a critical region.</remarks>
internal sealed unsafe class FeedMerge
{
    private const ulong None = ulong.MaxValue;

    private readonly FeedWindow _window;
    private readonly Source[] _sources; // by lane

    internal FeedMerge(FeedWindow window)
    {
        _window = window;
        _sources = new Source[window.LaneCount];
        Array.Fill(_sources, new Source { Chunk = -1, Next = None });
    }

    internal FeedWindow Window => _window;

    /// <summary>Copies the records above a version, up to another one, as many as a batch takes.</summary>
    /// <param name="after">The version up to which the reader has read; advanced by what was copied.</param>
    /// <param name="upTo">The watermark.</param>
    /// <param name="into">The batch.</param>
    /// <returns><see langword="false"/> where the window has lost some of them.</returns>
    internal bool TryCopy(ref ulong after, ulong upTo, FeedBatch into)
    {
        Debug.Assert(into.Count == 0 && PileRegions.Current.IsOpen, "The critical region keeps the window.");
        ulong floorMost = after;
        ulong reached = upTo;
        for (int lane = 0; lane < _sources.Length; lane++)
            Advance(lane, after);
        while (Least(out ulong next, out ulong second) is var lane && next <= upTo)
        {
            if (into.IsFull)
            {
                reached = next - 1;
                break;
            }
            ref Source source = ref _sources[lane];
            do
            {
                Copy(ref source, into);
                Advance(lane, after);
            }
            while (!into.IsFull && source.Next <= Math.Min(second, upTo));
        }
        for (int lane = 0; lane < _sources.Length; lane++)
            _sources[lane].Next = None; // what is under way may be taken back
        Volatile.ReadBarrier(); // the copy, then the floor; pairs with the barrier in FeedWindow.TakeChunk
        if (_window.Floor > floorMost)
            return false;
        after = Math.Max(after, reached);
        return true;
    }

    private int Least(out ulong next, out ulong second)
    {
        int least = 0;
        (next, second) = (None, None);
        for (int lane = 0; lane < _sources.Length; lane++)
        {
            ulong version = _sources[lane].Next;
            if (version < next)
                (least, next, second) = (lane, version, next);
            else if (version < second)
                second = version;
        }
        return least;
    }

    private void Copy(ref Source source, FeedBatch into)
    {
        var record = new FeedRecord(_window.BytesOf(source.Chunk) + source.Offset);
        if (!record.IsVoid)
            into.Add(source.Next, new ReadOnlySpan<byte>(_window.BytesOf(source.Chunk) + source.Offset, source.Bytes));
        source.Offset += source.Bytes;
        source.Next = None;
    }

    // Finds the next record of a lane above a version.
    private void Advance(int lane, ulong after)
    {
        ref Source source = ref _sources[lane];
        while (source.Next == None || source.Next <= after)
        {
            if (source.Next != None)
                (source.Offset, source.Next) = (source.Offset + source.Bytes, None);
            if (source.Chunk >= 0 && IsStill(source) && TryParse(ref source))
                continue;
            if (source.Next != None || !TryFindChunk(lane, after, ref source))
                return;
        }
    }

    private bool IsStill(in Source source) => Volatile.Read(ref _window.ChunkAt(source.Chunk)->Use) == source.Use;

    private bool TryParse(ref Source source)
    {
        FeedChunk* chunk = _window.ChunkAt(source.Chunk);
        int end = Math.Min(Volatile.Read(ref chunk->End), _window.ChunkBytes); // acquire: the records are there
        int left = end - source.Offset;
        if (left < sizeof(ulong))
            return false;
        var record = new FeedRecord(_window.BytesOf(source.Chunk) + source.Offset);
        int bytes = record.BytesWithin(left);
        Volatile.ReadBarrier();
        if (bytes > left || !IsStill(source))
            return false; // it is used anew: what was not read of it is below the floor, and this may be no record
        source.Bytes = bytes;
        source.Next = source.Base + record.Distance;
        return true;
    }

    // The next chunk of the lane: behind the present one, or, at first, the oldest that has something above the version.
    private bool TryFindChunk(int lane, ulong after, ref Source source)
    {
        int open = Volatile.Read(ref _window.LaneAt(lane)->OpenChunk) - 1;
        if (open < 0 || (open == source.Chunk && IsStill(source)))
            return false;
        int found = -1;
        ulong least = None;
        ulong use = 0;
        for (int i = 0; i < _window.ChunkCount; i++)
        {
            FeedChunk* chunk = _window.ChunkAt(i);
            ulong seen = Volatile.Read(ref chunk->Use);
            if (Volatile.Read(ref chunk->State) == FeedChunk.Free || chunk->Lane != lane)
                continue;
            ulong start = chunk->Base;
            bool isBehind = source.Chunk >= 0 ? start > source.Base : Volatile.Read(ref chunk->Last) > after;
            Volatile.ReadBarrier();
            // Used anew meanwhile: what it had is at or below the floor, and what it gets above the watermark.
            if (Volatile.Read(ref chunk->State) == FeedChunk.Free || Volatile.Read(ref chunk->Use) != seen)
                continue;
            if (isBehind && start < least)
                (found, least, use) = (i, start, seen);
        }
        if (found < 0 && source.Chunk >= 0)
            return false;
        if (found < 0) // nothing above the version: what comes goes here
        {
            FeedChunk* chunk = _window.ChunkAt(open);
            use = Volatile.Read(ref chunk->Use);
            (found, least) = (open, chunk->Base);
            bool isOfLane = chunk->Lane == lane;
            Volatile.ReadBarrier();
            if (!isOfLane || Volatile.Read(ref chunk->Use) != use)
                return false; // used anew meanwhile; the next copy finds where the lane is
        }
        source = new Source { Chunk = found, Use = use, Base = least, Next = None };
        return true;
    }

    // Where the reader is in a lane.
    private struct Source
    {
        internal int Chunk; // -1: nowhere yet
        internal int Offset; // of the next record
        internal int Bytes; // of that record, once it is parsed
        internal ulong Use; // of the chunk, when it was found
        internal ulong Base; // of the chunk
        internal ulong Next; // version of the next record; None: not parsed, or not there
    }
}

/// <summary>Copied records, with their versions.</summary>
/// <remarks>Owned by one reader.</remarks>
internal sealed class FeedBatch
{
    internal const int MostRecords = 1024;

    private const int UsualBytes = 64 << 10;
    private const int LeastBytes = 1 << 10; // of a reader that waits: there may be thousands

    private byte[] _bytes = new byte[LeastBytes];
    private int _end;

    internal int Count { get; private set; }

    internal bool IsFull => Count >= MostRecords || _end >= UsualBytes;

    internal void Clear() => (_end, Count) = (0, 0);

    /// <summary>Gives back what it has no use for while its reader waits.</summary>
    internal void Shrink()
    {
        Clear();
        if (_bytes.Length > LeastBytes)
            _bytes = new byte[LeastBytes];
    }

    internal void Add(ulong version, ReadOnlySpan<byte> record)
    {
        Debug.Assert(record.Length % sizeof(ulong) == 0, "A record is whole words.");
        int needed = _end + sizeof(ulong) + record.Length;
        if (needed > _bytes.Length)
            Array.Resize(ref _bytes, Math.Max(needed, _bytes.Length * 2));
        MemoryMarshal.Write(_bytes.AsSpan(_end), in version);
        record.CopyTo(_bytes.AsSpan(_end + sizeof(ulong)));
        _end = needed;
        Count++;
    }

    /// <summary>Visits the records in order.</summary>
    internal unsafe void ForEach<TVisitor>(ref TVisitor visitor)
        where TVisitor : IFeedVisitor
    {
        fixed (byte* start = _bytes)
        {
            for (int at = 0; at < _end;)
            {
                var record = new FeedRecord(start + at + sizeof(ulong));
                visitor.Visit(record, MemoryMarshal.Read<ulong>(_bytes.AsSpan(at)));
                at += sizeof(ulong) + record.BytesWithin(_end - at - sizeof(ulong));
            }
        }
    }
}

/// <summary>Gets the records of a batch.</summary>
internal interface IFeedVisitor
{
    /// <summary>A record, in memory that is valid for this call.</summary>
    void Visit(in FeedRecord record, ulong version);
}
