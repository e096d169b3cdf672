using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using System.Threading;
using BigPile.Checking;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Feed;

/// <summary>The last changes of a table, in memory of a fixed size: a log lane for each writing thread, merged by version by who reads.</summary>
/// <remarks>
/// <para>
/// A change: <see cref="Enter"/>, its version, <see cref="Append"/>, the change itself, <see cref="Leave"/>. The lane says from Enter to
/// Leave that nothing below a version is under way in it. So all changes up to <see cref="Watermark"/> are in the table, and their records
/// in the window: a writer with a version up to the last one has stored its word before the compare-exchange that drew the version, which
/// is a full barrier; who loads the last version and then the word sees it, or the later 0, and then the record, stored before that.
/// </para>
/// <para>
/// Lanes take chunks of one pool. When none is free, the closed chunk whose last record is the oldest is used anew, and its last version
/// becomes the floor, before a byte of it changes. So a reader that copies records and then finds the floor at or below where it began
/// has copied what was there. A reader holds nothing, and no writer waits for one.
/// </para>
/// <para>
/// Invariants (<see cref="CheckInvariants"/>): versions ascend in a lane; the floor only rises, and is at least the last version of each
/// chunk that was used anew; a chunk is open for one lane at most. Lock order: bucket or tag marks, lane, pool; then the pile's own.
/// </para>
/// Thread safety: all members may be called concurrently, but those that say otherwise.
/// </remarks>
internal sealed unsafe class FeedWindow
{
    internal const long LeastBytes = 256 << 10;
    internal const long MostBytes = 1L << 30;

    private const int MostLanes = 64;
    private const int LeastChunkBytes = 16 << 10;
    private const int UsualChunkBytes = 64 << 10;
    private const int MostChunks = 1024;
    private const int ChunksPerLane = 4; // so no more than a quarter is open
    private const int PageBytes = 4096;
    private const int PrefetchedBytes = 256; // how far ahead lines are fetched; behind the last chunk it does nothing

    private readonly byte* _start;
    private readonly FeedHead* _head;
    private readonly FeedLane* _lanes;
    private readonly FeedChunk* _chunks;
    private readonly byte* _bytes; // of the first chunk
    private readonly Lock _pool = new(); // held to take a chunk

    /// <summary>Serves a window in memory, which is zero, or as an earlier owner left it.</summary>
    internal FeedWindow(byte* start, long lengthBytes)
    {
        (ChunkBytes, ChunkCount, LaneCount, long offset) = ShapeOf(lengthBytes);
        _start = start;
        _head = (FeedHead*)start;
        _lanes = (FeedLane*)(start + FeedHead.ReservedBytes);
        _chunks = (FeedChunk*)(_lanes + LaneCount);
        _bytes = start + offset;
    }

    internal FeedHead* Head => _head;

    internal int LaneCount { get; }

    internal int ChunkCount { get; }

    internal int ChunkBytes { get; }

    /// <summary>The last version of a change that is lost: who has not read up to it has missed something.</summary>
    internal ulong Floor => Volatile.Read(ref _head->Floor);

    internal ulong Epoch => _head->Epoch;

    /// <summary>All behind the head.</summary>
    internal ReadOnlySpan<byte> Body => new(_start + FeedHead.ReservedBytes, (int)_head->LengthBytes - FeedHead.ReservedBytes);

    /// <summary>The length of a window of at least so many bytes, in whole chunks.</summary>
    internal static long LengthFor(long bytes)
    {
        (int chunkBytes, int chunks, _, long offset) = ShapeOf(bytes);
        return offset + (long)chunks * chunkBytes;
    }

    /// <summary>The most bytes of a value that a record holds; a longer one is read where it is.</summary>
    internal int MostValueBytes => ChunkBytes / 4;

    // The same for a length that LengthFor gave as for the bytes that it was asked for.
    private static (int ChunkBytes, int Chunks, int Lanes, long Offset) ShapeOf(long bytes)
    {
        long chunkBytes = bytes < 64 * UsualChunkBytes ? LeastChunkBytes : UsualChunkBytes;
        while (bytes / chunkBytes > MostChunks)
            chunkBytes *= 2;
        int chunks = (int)(bytes / chunkBytes) - 1;
        while (true)
        {
            int lanes = Math.Min(MostLanes, chunks / ChunksPerLane);
            long offset = FeedHead.ReservedBytes + (long)lanes * FeedLane.SizeBytes + (long)chunks * FeedChunk.SizeBytes;
            offset = (offset + PageBytes - 1) / PageBytes * PageBytes;
            if (offset + chunks * chunkBytes <= Math.Max(bytes, LeastBytes))
                return ((int)chunkBytes, chunks, lanes, offset);
            chunks--;
        }
    }

    /// <summary>Enters a thread's lane for a change. A bucket's lock is held, or the change has no key.</summary>
    /// <param name="number">The number of the thread.</param>
    /// <param name="last">The last version that was drawn.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal FeedLane* Enter(int number, ulong last)
    {
        int shared = LaneCount - 1;
        FeedLane* lane = _lanes + Math.Min(number, shared);
        if (number >= shared) // the others have one thread each, as numbers do
            lane->Lock.Enter();
        lane->EndBefore = -1;
        if (!Mutation.FeedInFlightLate)
            Volatile.Write(ref lane->InFlight, last + 1);
        return lane;
    }

    /// <summary>Makes space for the record of a change whose version was drawn.</summary>
    /// <returns>Where it goes; and its distance.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* Reserve(FeedLane* lane, ulong version, int bytes, out ulong distance)
    {
        Debug.Assert((lane->InFlight != 0 || Mutation.FeedInFlightLate) && bytes <= ChunkBytes && bytes % sizeof(ulong) == 0, "The lane was entered.");
        int number = lane->OpenChunk - 1;
        FeedChunk* chunk = _chunks + number;
        if (number < 0 || chunk->End + bytes > ChunkBytes || version - chunk->Base >= 1UL << FeedRecord.DistanceBits)
        {
            number = TakeChunk(lane, version);
            chunk = _chunks + number;
        }
        Debug.Assert(version >= Math.Max(chunk->Last, lane->InFlight), "Versions ascend in a lane.");
        if (Mutation.FeedInFlightLate)
            PauseBeforeInFlight(lane, version);
        distance = version - chunk->Base;
        return BytesOf(number) + chunk->End;
    }

    /// <summary>Appends the record that was written where <see cref="Reserve"/> said.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Append(FeedLane* lane, ulong version, int bytes)
    {
        FeedChunk* chunk = _chunks + (lane->OpenChunk - 1);
        lane->EndBefore = chunk->End;
        if (Mutation.FeedRecordLate)
            PauseBeforeRecord(lane);
        chunk->Last = version;
        Volatile.Write(ref chunk->End, chunk->End + bytes); // release: behind the record
        CrashPoints.Pass(CrashPoint.FeedBeforeChange);
    }

    /// <summary>Appends a record without tags and value. Its version was drawn in this lane.</summary>
    /// <param name="lane">The lane.</param>
    /// <param name="version">The version.</param>
    /// <param name="kind">What happened.</param>
    /// <param name="key">The key, behind at least seven bytes that can be read.</param>
    /// <param name="keyBytes">Its length.</param>
    /// <param name="words">Its words.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void AppendPlain(
        FeedLane* lane, ulong version, ChangeKind kind, byte* key, int keyBytes, scoped ReadOnlySpan<ulong> words = default)
    {
        // Reserve and Append in one, which load each field once.
        Debug.Assert(lane->InFlight != 0 || Mutation.FeedInFlightLate, "The lane was entered.");
        int bytes = FeedRecord.BytesFor(words.Length, keyBytes);
        int number = lane->OpenChunk - 1;
        FeedChunk* chunk = _chunks + number;
        if (number < 0 || chunk->End + bytes > ChunkBytes || version - chunk->Base >= 1UL << FeedRecord.DistanceBits)
        {
            number = TakeChunk(lane, version);
            chunk = _chunks + number;
        }
        Debug.Assert(version >= Math.Max(chunk->Last, lane->InFlight), "Versions ascend in a lane.");
        if (Mutation.FeedInFlightLate)
            PauseBeforeInFlight(lane, version);
        int end = chunk->End;
        byte* at = BytesOf(number) + end;
        if (Sse.IsSupported)
            Sse.Prefetch0(at + PrefetchedBytes); // else the stores behind a record wait for its line, and the next lock for them
        FeedRecord.WritePlain(at, version - chunk->Base, kind, key, keyBytes, words);
        lane->EndBefore = end;
        if (Mutation.FeedRecordLate)
            PauseBeforeRecord(lane);
        chunk->Last = version;
        Volatile.Write(ref chunk->End, end + bytes); // release: behind the record
        CrashPoints.Pass(CrashPoint.FeedBeforeChange);
    }

    private static void PauseBeforeInFlight(FeedLane* lane, ulong version)
    {
        CrashPoints.Pass(CrashPoint.FeedBeforeChange);
        Volatile.Write(ref lane->InFlight, version);
    }

    private static void PauseBeforeRecord(FeedLane* lane)
    {
        Volatile.Write(ref lane->InFlight, 0);
        CrashPoints.Pass(CrashPoint.FeedBeforeChange);
    }

    /// <summary>Takes back the last record: its change was not made. Nobody has read it, as the lane is in flight.</summary>
    internal void Withdraw(FeedLane* lane)
    {
        if (lane->EndBefore >= 0)
            Volatile.Write(ref _chunks[lane->OpenChunk - 1].End, lane->EndBefore);
    }

    /// <summary>Leaves a lane: the change was made, or has no record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Leave(FeedLane* lane)
    {
        Volatile.Write(ref lane->InFlight, 0);
        if (lane->Lock.IsTaken) // by this thread: only the shared lane's ever is
            lane->Lock.Exit();
    }

    /// <summary>The version up to which all changes are in the table, and their records here.</summary>
    /// <param name="last">The last version that was drawn, loaded before the lanes.</param>
    internal ulong Watermark(ulong last)
    {
        ulong watermark = last;
        for (int i = 0; i < LaneCount && !Mutation.FeedWithoutWatermark; i++)
        {
            ulong inFlight = Volatile.Read(ref _lanes[i].InFlight);
            if (inFlight != 0)
                watermark = Math.Min(watermark, inFlight - 1);
        }
        return watermark;
    }

    /// <summary>All changes so far count as lost: the table has lost something that no record tells of.</summary>
    internal void Lose(ulong last)
    {
        lock (_pool)
            Volatile.Write(ref _head->Floor, Math.Max(_head->Floor, last));
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
        return (used, oldest, newest);
    }

    internal byte* BytesOf(int chunk) => _bytes + (long)chunk * ChunkBytes;

    internal FeedChunk* ChunkAt(int number) => _chunks + number;

    internal FeedLane* LaneAt(int number) => _lanes + number;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int TakeChunk(FeedLane* lane, ulong version)
    {
        lock (_pool)
        {
            if (lane->OpenChunk != 0)
                Volatile.Write(ref _chunks[lane->OpenChunk - 1].State, FeedChunk.Closed);
            int number = OldestLocked();
            FeedChunk* chunk = _chunks + number;
            if (chunk->State == FeedChunk.Closed && !Mutation.FeedFloorLate)
            {
                Volatile.Write(ref _head->Floor, Math.Max(_head->Floor, chunk->Last));
                CrashPoints.Pass(CrashPoint.FeedBeforeRecycled);
            }
            Volatile.WriteBarrier(); // the floor, before the chunk changes; pairs with the barrier in FeedMerge
            Volatile.Write(ref chunk->End, 0);
            chunk->Lane = (int)(lane - _lanes);
            chunk->Use++;
            (chunk->Base, chunk->Last) = (version, version);
            Volatile.Write(ref chunk->State, FeedChunk.Open);
            lane->OpenChunk = number + 1;
            lane->EndBefore = -1;
            return number;
        }
    }

    private int OldestLocked()
    {
        int oldest = -1;
        for (int i = 0; i < ChunkCount; i++)
        {
            if (_chunks[i].State == FeedChunk.Free)
                return i;
            if (_chunks[i].State == FeedChunk.Closed && (oldest < 0 || _chunks[i].Last < _chunks[oldest].Last))
                oldest = i;
        }
        Debug.Assert(oldest >= 0, "No more than a quarter of the chunks is open.");
        return oldest;
    }

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

    /// <summary>Whether what an earlier owner left can be read: every record is within its chunk, in order. Nobody uses the window.</summary>
    internal bool IsSound()
    {
        for (int i = 0; i < LaneCount; i++)
        {
            if ((uint)_lanes[i].OpenChunk > (uint)ChunkCount || (_lanes[i].OpenChunk is var open and not 0
                && (_chunks[open - 1].State != FeedChunk.Open || _chunks[open - 1].Lane != i)))
                return false;
        }
        for (int i = 0; i < ChunkCount; i++)
        {
            if (!IsSound(i))
                return false;
        }
        return true;
    }

    private bool IsSound(int number)
    {
        FeedChunk* chunk = _chunks + number;
        if (chunk->State == FeedChunk.Free)
            return true;
        if (chunk->State is not (FeedChunk.Open or FeedChunk.Closed) || (uint)chunk->Lane >= (uint)LaneCount
            || (uint)chunk->End > (uint)ChunkBytes || (chunk->State == FeedChunk.Open && _lanes[chunk->Lane].OpenChunk != number + 1))
            return false;
        ulong before = 0;
        for (int at = 0; at < chunk->End;)
        {
            var record = new FeedRecord(BytesOf(number) + at);
            int bytes = record.BytesWithin(chunk->End - at);
            if (bytes > chunk->End - at || chunk->Base + record.Distance > chunk->Last || record.Distance < before)
                return false;
            before = record.Distance;
            at += bytes;
        }
        return true;
    }

    /// <summary>Checks the invariants while no change is under way. For tests.</summary>
    internal void CheckInvariants()
    {
        if (!IsSound())
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
