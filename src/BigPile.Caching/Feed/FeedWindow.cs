using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using System.Threading;
using BigPile.Checking;
using BigPile.Durability;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Feed;

/// <summary>The last changes of a table, in memory of a fixed size: a log lane for each writing thread, merged by who reads.</summary>
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
internal sealed unsafe partial class FeedWindow
{
    internal const long LeastBytes = 256 << 10;
    internal const long MostBytes = 1L << 30;

    private const int MostLanes = 64;
    private const int LeastChunkBytes = 16 << 10;
    private const int UsualChunkBytes = 64 << 10;
    private const int ChunksOfLarge = 64; // from so many usual chunks on they are not the least ones
    private const int MostChunks = 1024;
    private const int ChunksPerLane = 4; // so no more than a quarter is open
    private const int PageBytes = 4096;
    private const int PrefetchedBytes = 256; // how far ahead lines are fetched; behind the last chunk it does nothing

    private readonly FeedHead* _head;
    private readonly FeedLane* _lanes;
    private readonly FeedChunk* _chunks;
    private readonly byte* _bytes; // of the first chunk
    private readonly Lock _pool = new(); // held to take a chunk

    /// <summary>Serves a window in memory, whose head is written: it is new, or as an earlier owner left it.</summary>
    internal FeedWindow(byte* start)
    {
        _head = (FeedHead*)start;
        ChunkBytes = ChunkBytesFor(_head->LengthBytes);
        ChunkCount = ChunksIn(_head->LengthBytes, ChunkBytes);
        LaneCount = LanesFor(ChunkCount);
        _lanes = (FeedLane*)(start + FeedHead.ReservedBytes);
        _chunks = (FeedChunk*)(_lanes + LaneCount);
        _bytes = start + OffsetFor(ChunkCount);
        Epoch = _head->Epoch;
        Former = new FormerFeed(_head->FormerEpoch, _head->FlushedUpTo);
    }

    internal int LaneCount { get; }

    internal int ChunkCount { get; }

    internal int ChunkBytes { get; }

    /// <summary>The last version of a change that is lost: who has not read up to it has missed something.</summary>
    internal ulong Floor => Volatile.Read(ref _head->Floor);

    // Copied: readers ask for both when the window may have been freed.
    internal ulong Epoch { get; }

    internal FormerFeed Former { get; }

    /// <summary>The length of a window of at most so many bytes. What is left behind its last chunk stays unused.</summary>
    internal static long LengthFor(long bytes) => bytes / PageBytes * PageBytes;

    /// <summary>The most bytes of a value that a record holds; a longer one is read where it is.</summary>
    internal int MostValueBytes => ChunkBytes / 4;

    // Follows from the length alone, as that is what the next process knows.
    private static int ChunkBytesFor(long lengthBytes)
    {
        int chunkBytes = lengthBytes < ChunksOfLarge * UsualChunkBytes ? LeastChunkBytes : UsualChunkBytes;
        while (lengthBytes / chunkBytes > MostChunks)
            chunkBytes *= 2;
        return chunkBytes;
    }

    private static int ChunksIn(long lengthBytes, int chunkBytes)
    {
        int chunks = (int)(lengthBytes / chunkBytes);
        while (OffsetFor(chunks) + (long)chunks * chunkBytes > lengthBytes)
            chunks--;
        return chunks;
    }

    private static int LanesFor(int chunks) => Math.Min(MostLanes, chunks / ChunksPerLane);

    private static long OffsetFor(int chunks)
    {
        long heads = FeedHead.ReservedBytes + (long)LanesFor(chunks) * FeedLane.SizeBytes + (long)chunks * FeedChunk.SizeBytes;
        return (heads + PageBytes - 1) / PageBytes * PageBytes;
    }

    /// <summary>Enters a thread's lane for a change. A bucket's lock is held, or the change has no key.</summary>
    /// <param name="number">The number of the thread.</param>
    /// <param name="versions">Gives the version behind this.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal FeedLane* Enter(int number, Versions versions)
    {
        int shared = LaneCount - 1;
        FeedLane* lane = _lanes + Math.Min(number, shared);
        if (number >= shared) // the others have one thread each, as numbers do
            lane->Lock.Enter();
        Debug.Assert(lane->InFlight == 0, "A thread has one change under way.");
        lane->EndBefore = -1;
        if (!Mutation.FeedInFlightLate)
            Volatile.Write(ref lane->InFlight, versions.Last + 1);
        return lane;
    }

    /// <summary>Makes space for the record of a change whose version was drawn.</summary>
    /// <returns>Where it goes; and its distance.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* Reserve(FeedLane* lane, ulong version, int bytes, out ulong distance)
    {
        Debug.Assert(lane->InFlight != 0 || Mutation.FeedInFlightLate, "The lane was entered.");
        Debug.Assert(bytes <= ChunkBytes && bytes % sizeof(ulong) == 0, "A record fits into a chunk.");
        int number = lane->OpenChunk - 1;
        FeedChunk* chunk = _chunks + number;
        if (number < 0 || chunk->End + bytes > ChunkBytes || version - chunk->Base >= 1UL << FeedRecord.DistanceBits)
        {
            number = TakeChunk(lane, version);
            chunk = _chunks + number;
        }
        Debug.Assert(version >= Math.Max(chunk->Last, lane->InFlight), "Versions ascend in a lane.");
        CrashPoints.Pass(CrashPoint.FeedBeforeRecord);
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
        int bytes = FeedRecord.BytesFor(words.Length, keyBytes);
        byte* at = Reserve(lane, version, bytes, out ulong distance);
        if (Sse.IsSupported)
            Sse.Prefetch0(at + PrefetchedBytes); // else the stores behind a record wait for its line, and the next lock for them
        FeedRecord.WritePlain(at, distance, kind, key, keyBytes, words);
        Append(lane, version, bytes);
    }

    private static void PauseBeforeInFlight(FeedLane* lane, ulong version)
    {
        CrashPoints.Pass(CrashPoint.FeedBeforeRecord);
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
        Debug.Assert(lane->EndBefore <= _chunks[lane->OpenChunk - 1].End || lane->EndBefore < 0, "The record is the last one.");
        if (lane->EndBefore >= 0)
            Volatile.Write(ref _chunks[lane->OpenChunk - 1].End, lane->EndBefore);
    }

    /// <summary>Leaves a lane: the change was made, or has no record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Leave(FeedLane* lane)
    {
        Debug.Assert(lane->InFlight != 0 || Mutation.FeedRecordLate || Mutation.FeedInFlightLate, "A lane that is left was entered.");
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

    /// <summary>All changes up to a version count as lost: the table has lost something that no record tells of.</summary>
    internal void Lose(ulong version)
    {
        lock (_pool)
            RaiseFloorLocked(version);
    }

    private void RaiseFloorLocked(ulong version) => Volatile.Write(ref _head->Floor, Math.Max(_head->Floor, version));

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
            Debug.Assert(chunk->Last < version, "What is used anew is older than what comes.");
            if (chunk->State == FeedChunk.Closed && !Mutation.FeedFloorLate)
            {
                RaiseFloorLocked(chunk->Last);
                CrashPoints.Pass(CrashPoint.FeedBeforeRecycled);
            }
            // The floor, before the chunk changes; free while it does, and known for another one. Pairs with the barriers in FeedMerge.
            Volatile.Write(ref chunk->State, FeedChunk.Free);
            Volatile.Write(ref chunk->Use, chunk->Use + 1);
            Volatile.WriteBarrier();
            Volatile.Write(ref chunk->End, 0);
            chunk->Lane = (int)(lane - _lanes);
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
}
