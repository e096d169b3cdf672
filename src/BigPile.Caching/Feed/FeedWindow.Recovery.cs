using System;
using System.Threading;
using BigPile.Checking;

namespace BigPile.Caching.Feed;

/// <summary>What an earlier owner left in a window, the figures of it, and its checks.</summary>
internal sealed unsafe partial class FeedWindow
{
    /// <summary>Voids what a killed process had under way and did not make, and frees its locks. Nobody uses the window.</summary>
    /// <param name="isMade">Whether the change of a record is in the table, which was recovered.</param>
    internal void Recover(FeedRecordCheck isMade)
    {
        for (int i = 0; i < LaneCount; i++)
        {
            FeedLane* lane = _lanes + i;
            if (lane->InFlight != 0 && lane->OpenChunk != 0)
                RecoverLast(lane, isMade);
            lane->Lock = default;
            lane->InFlight = 0;
        }
    }

    /// <summary>
    /// Undoes what a kill left half of while a lane took a chunk: its full one is open again, and the next change takes another. Before
    /// <see cref="IsSound(ulong)"/>, so nothing is trusted. Nobody uses the window.
    /// </summary>
    internal void UndoTaking()
    {
        for (int i = 0; i < LaneCount; i++)
        {
            int open = _lanes[i].OpenChunk - 1;
            if ((uint)open < (uint)ChunkCount && _chunks[open].State == FeedChunk.Closed && _chunks[open].Lane == i)
                _chunks[open].State = FeedChunk.Open;
        }
        for (int i = 0; i < ChunkCount; i++)
        {
            FeedChunk* chunk = _chunks + i;
            bool isTaken = (uint)chunk->Lane < (uint)LaneCount && _lanes[chunk->Lane].OpenChunk == i + 1;
            if (chunk->State == FeedChunk.Open && !isTaken && chunk->End == 0)
                chunk->State = FeedChunk.Free;
        }
    }

    // A lane has one change under way; its record is the last one, if it has one.
    private void RecoverLast(FeedLane* lane, FeedRecordCheck isMade)
    {
        int number = lane->OpenChunk - 1;
        FeedChunk* chunk = _chunks + number;
        byte* last = null;
        for (int at = 0; at < chunk->End;)
        {
            last = BytesOf(number) + at;
            at += new FeedRecord(last).BytesWithin(chunk->End - at);
        }
        if (last == null)
            return;
        var record = new FeedRecord(last);
        ulong version = chunk->Base + record.Distance;
        if (version >= lane->InFlight && !record.IsVoid && !isMade(record, version) && !Mutation.FeedUndoneKept)
            FeedRecord.Void(last);
    }

    /// <summary>
    /// Whether what an earlier owner left can be read: every record is within its chunk, in order. Nobody uses the window.
    /// </summary>
    /// <param name="last">The last version that was given.</param>
    internal bool IsSound(ulong last)
    {
        if (Floor > last)
            return false;
        for (int i = 0; i < LaneCount; i++)
        {
            if ((uint)_lanes[i].OpenChunk > (uint)ChunkCount || (_lanes[i].OpenChunk is var open and not 0
                && (_chunks[open - 1].State != FeedChunk.Open || _chunks[open - 1].Lane != i)))
                return false;
        }
        for (int i = 0; i < ChunkCount; i++)
        {
            if (!IsSound(i, last))
                return false;
        }
        return true;
    }

    private bool IsSound(int number, ulong last)
    {
        FeedChunk* chunk = _chunks + number;
        if (chunk->State == FeedChunk.Free)
            return true;
        if (chunk->State is not (FeedChunk.Open or FeedChunk.Closed) || (uint)chunk->Lane >= (uint)LaneCount
            || (uint)chunk->End > (uint)ChunkBytes || chunk->Last > last
            || (chunk->State == FeedChunk.Open && _lanes[chunk->Lane].OpenChunk != number + 1))
            return false;
        ulong before = 0;
        for (int at = 0; at < chunk->End;)
        {
            var record = new FeedRecord(BytesOf(number) + at);
            int bytes = record.BytesWithin(chunk->End - at);
            if (bytes > chunk->End - at || !record.IsSound || chunk->Base + record.Distance > chunk->Last || record.Distance < before)
                return false;
            before = record.Distance;
            at += bytes;
        }
        return true;
    }

    /// <summary>
    /// The bytes of the chunks in use, with the first version and the last of a record in them. An estimate while the window is used.
    /// </summary>
    internal (long UsedBytes, ulong Oldest, ulong Newest) Described()
    {
        long used = 0;
        ulong oldest = ulong.MaxValue;
        ulong newest = 0;
        for (int i = 0; i < ChunkCount; i++)
        {
            FeedChunk* chunk = _chunks + i;
            if (Volatile.Read(ref chunk->State) == FeedChunk.Free)
                continue;
            used += ChunkBytes;
            oldest = Math.Min(oldest, chunk->Base);
            newest = Math.Max(newest, Volatile.Read(ref chunk->Last));
        }
        return (used, Math.Max(oldest, Floor), newest); // a lane that rests keeps its open chunk, below what others have lost
    }

    /// <summary>Checks the invariants while no change is under way. For tests.</summary>
    internal void CheckInvariants()
    {
        if (!IsSound(ulong.MaxValue))
            throw new InvalidOperationException("A lane or a chunk of the feed is not as it should be.");
        var open = new bool[LaneCount];
        for (int i = 0; i < ChunkCount; i++)
        {
            FeedChunk* chunk = _chunks + i;
            if (chunk->State == FeedChunk.Open && open[chunk->Lane])
                throw new InvalidOperationException($"Lane {chunk->Lane} of the feed has two open chunks.");
            if (chunk->State == FeedChunk.Open)
                open[chunk->Lane] = true;
        }
        for (int i = 0; i < LaneCount; i++)
        {
            if (_lanes[i].InFlight != 0 || _lanes[i].Lock.IsTaken)
                throw new InvalidOperationException($"Lane {i} of the feed is in flight, and no change is under way.");
        }
    }
}

/// <summary>Whether the change of a record was made.</summary>
internal unsafe delegate bool FeedRecordCheck(in FeedRecord record, ulong version);
