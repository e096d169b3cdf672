using System;
using System.Diagnostics;
using System.Numerics;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Liveness;

/// <summary>
/// Buffers what lock-free reads observe, until a thread that may change entries drains it: uses of sliding entries, and ends.
/// </summary>
/// <remarks>
/// <para>
/// A hash set keyed by entry version, which stays the same wherever the entry's block moves. No use is lost: when an entry finds no cell in
/// the newest set, a new set is put in front. A buffered use counts for every check of whether the entry is live.
/// </para>
/// <para>
/// An entry ends once. An end (<see cref="IsAlive(in SlidingUse, CacheClock, long)"/>) reads the clock first, then exchanges the times of
/// all the entry's records, pending ones included. A use publishes a pending record, then reads the clock, then exchanges the time in.
/// Either the end sees the pending record, or the use reads a later time and fails.
/// </para>
/// <para>
/// A record is applied before it is cleared, so no use is lost in between. New uses go to the newest set, so older sets run empty, and are
/// removed under the drain lock. An entry may have several records, of several threads or sets; the latest use counts.
/// </para>
/// Thread safety: all members may be called concurrently, some only by the holder of the drain lock.
/// </remarks>
internal sealed partial class ReadBuffer
{
    /// <summary>Cells of the smallest set.</summary>
    internal const int MinCells = 512;

    private const int Ways = 16; // cells of an entry's window
    private const int EndWays = 4; // ends never make a set grow
    private const int FineShift = 20; // a use is not recorded again within a millionth of the sliding time
    private const int Sparse = 4; // cells per record in a set of the right size

    /// <summary>The newest set; replaced by compare-exchange.</summary>
    private Set _newest = new(MinCells, older: null);

    /// <summary>Records that are not drained. Interlocked.</summary>
    private int _count;

    /// <summary>Records that the last drain could not apply. Written under the drain lock.</summary>
    private int _deferred;

    /// <summary>1 while a drain is queued on the thread pool.</summary>
    private int _isQueued;

    /// <summary>Held by the thread that drains.</summary>
    private TinySpinLock _drainLock;

    /// <summary>The approximate number of records that are not drained.</summary>
    internal int Count => Math.Max(0, Volatile.Read(ref _count));

    /// <summary>
    /// Whether to drain before the next sweep: more records than a quarter of the cells, and than twice what the last drain could not
    /// apply.
    /// </summary>
    internal bool ShouldDrain => Count > Math.Max(Newest.Length / 4, 2L * Volatile.Read(ref _deferred));

    /// <summary>Whether there are records, or memory to give back.</summary>
    internal bool HasAny => Count > 0 || Newest.Length > MinCells || Newest.Older != null;

    /// <summary>The newest set, head of a list of older ones.</summary>
    internal Set Newest => Volatile.Read(ref _newest);

    /// <summary>Whether the caller must queue a drain: none is queued.</summary>
    internal bool TryBeginQueued() => Volatile.Read(ref _isQueued) == 0 && Interlocked.Exchange(ref _isQueued, 1) == 0;

    /// <summary>The queued drain has begun: later records may queue another one.</summary>
    internal void EndQueued() => Volatile.Write(ref _isQueued, 0);

    /// <summary>Records a use of a sliding entry, now. The entry was read as live.</summary>
    /// <returns>The time of the use; 0 if the entry may have ended meanwhile, and must be read again.</returns>
    internal long RecordUse(in SlidingUse use, ulong hash, CacheClock clock)
    {
        foreach (Record record in RecordsOf(use.Version))
        {
            if (Refresh(record, use, clock) is not 0 and var time)
                return time;
        }
        // Judged by the block's expiry alone: another record that keeps the entry alive may end meanwhile.
        return CompletePending(Add(use.Version, hash), use, clock);
    }

    /// <summary>Records that an entry has ended. Dropped when the window has no free cell.</summary>
    internal void RecordEnd(ulong version, ulong hash)
    {
        foreach (Record record in RecordsOf(version))
        {
            if (record.Time is not (Record.Drained or Record.Closed))
                return;
        }
        if (TryAdd(Newest, version, hash, EndWays, out Record added))
            _ = added.TryExchange(Record.Pending, Record.End);
    }

    /// <summary>
    /// Whether a recorded use keeps alive an entry that is expired by its block. If not, the entry has ended: no later use can be recorded.
    /// </summary>
    /// <param name="use">The lifetime in the block, which is known to be the entry's.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="now">A time that was read before the call, by which the entry has expired.</param>
    internal bool IsAlive(in SlidingUse use, CacheClock clock, long now)
    {
        Interlocked.MemoryBarrier(); // the caller read the clock before; pairs with the barrier of CompletePending
        foreach (Record record in RecordsOf(use.Version))
        {
            if (IsAlive(record, use, clock, now))
                return true;
        }
        return false;
    }

    /// <summary>The last recorded use that is not drained; 0: none, or the entry has ended.</summary>
    /// <remarks>A record is drained only after its effect was written. So where this finds none, read the entry again.</remarks>
    internal long LastUseOf(ulong version)
    {
        long last = 0;
        foreach (Record record in RecordsOf(version))
            last = Math.Max(last, record.Time);
        return last;
    }

    /// <summary>As <see cref="LastUseOf"/>, also of an entry that has ended.</summary>
    internal long LastUseBeforeEndOf(ulong version)
    {
        long last = 0;
        foreach (Record record in RecordsOf(version))
            last = Math.Max(last, Record.UseOf(record.Time));
        return last;
    }

    /// <summary>Transfers the last use of an entry to the one that replaced it. The bucket's lock is held.</summary>
    internal void TransferLocked(ulong from, ulong to, ulong hash)
    {
        Interlocked.MemoryBarrier(); // a use recorded after this sees that the slot has changed
        long last = LastUseOf(from);
        if (last != 0)
            _ = Add(to, hash).TryExchange(Record.Pending, last);
    }

    /// <summary>Takes the drain lock, until <see cref="ExitDrain"/>.</summary>
    /// <param name="waits">Whether to wait for another thread that drains.</param>
    internal bool TryEnterDrain(bool waits)
    {
        if (!waits)
            return _drainLock.TryEnter();
        _drainLock.Enter();
        return true;
    }

    internal void ExitDrain() => _drainLock.Exit();

    /// <summary>Gets a record that is to be applied, then cleared. The drain lock is held.</summary>
    internal bool TryPeek(Set set, int number, out Record record, out long time)
    {
        Debug.Assert(_drainLock.IsTaken, "Two drains would apply a record twice.");
        record = new Record(set, number);
        time = set.VersionAt(number) == 0 ? 0 : record.Time;
        return time > 0 || Record.IsEnd(time);
    }

    /// <summary>
    /// Makes a use count for as much as its renewal will write, before that is written. The drain lock is held. If the write fails, the
    /// mark stays, and is not applied twice.
    /// </summary>
    /// <returns><see langword="false"/> if the entry ended or was used again meanwhile.</returns>
    internal static bool TryMarkAhead(Record record, ref long time)
    {
        // The renewal will write more than the use gives. Marked before that: otherwise an entry found expired in between would come back
        // to life.
        long marked = time | Record.Ahead;
        if (marked != time && !record.TryExchange(time, marked))
            return false;
        time = marked;
        return true;
    }

    /// <summary>Clears a record that was applied, unless a later use has come. The drain lock is held.</summary>
    internal bool TryClear(Record record, long time)
    {
        if (!record.TryExchange(time, Record.Drained)) // a use since then is not lost: the exchange fails
            return false;
        Interlocked.Decrement(ref _count);
        return true;
    }

    /// <summary>Shrinks the buffer and removes empty sets. The drain lock is held.</summary>
    /// <param name="peakCount">The number of records when the drain began.</param>
    /// <param name="isDeferred">Whether records are left that could not be applied, and are not to be tried again soon.</param>
    internal void EndDrain(int peakCount, bool isDeferred)
    {
        Volatile.Write(ref _deferred, isDeferred ? Count : 0);
        Set newest = Newest;
        int enough = Math.Max(MinCells, (int)Math.Min(BitOperations.RoundUpToPowerOf2((uint)peakCount) * (long)Sparse, newest.Length));
        if (enough < newest.Length)
            // If another thread has put a set in front, that one stays.
            Interlocked.CompareExchange(ref _newest, new Set(enough, newest), newest);
        for (Set set = Newest; set.Older is { } older;)
        {
            if (older.TryClose())
                set.Older = older.Older; // a lookup that is in it goes on from there
            else
                set = older;
        }
    }

    private EntryRecords RecordsOf(ulong version) => new(Newest, version);

    // Adds a record in state Pending.
    private bool TryAdd(Set set, ulong version, ulong hash, int ways, out Record record)
    {
        Interlocked.Increment(ref _count); // before the drain can see the record
        bool isAdded = set.TryClaim(version, hash, ways, out int number);
        if (!isAdded)
            Interlocked.Decrement(ref _count);
        record = new Record(set, number);
        return isAdded;
    }

    // Advances a recorded use to now, if the entry is alive by it or its block; else 0. Keeps the mark of a renewal that is being written.
    private static long Refresh(Record record, in SlidingUse use, CacheClock clock)
    {
        long time = record.Time;
        if (time <= 0)
            return 0;
        long now = clock.Now & ~Record.Ahead;
        if (now >= use.ExpiresAt && now >= use.EndAfter(time, clock))
            return 0;
        // Close uses are one: reads of a hot entry would contend for its record.
        while (now - time > use.SlidingTicks >> FineShift)
        {
            long refreshed = now | (time & Record.Ahead);
            if (record.TryExchange(time, refreshed))
                return refreshed;
            time = record.Time;
            if (time <= 0)
                return 0;
        }
        return time;
    }

    // Replaces Pending by the present time.
    private long CompletePending(Record record, in SlidingUse use, CacheClock clock)
    {
        Interlocked.MemoryBarrier(); // Pending is visible first: IsAlive sees it, or this reads a later time than IsAlive did
        long now = clock.Now & ~Record.Ahead; // read after the barrier
        Debug.Assert(now > 0, "Values up to 0 are states.");
        if (now < use.ExpiresAt)
            // Fails if IsAlive has ended the record: the caller reads the entry again.
            return record.TryExchange(Record.Pending, now) ? now : 0;
        if (record.TryExchange(Record.Pending, Record.Drained))
            Interlocked.Decrement(ref _count);
        return 0;
    }

    private static bool IsAlive(Record record, in SlidingUse use, CacheClock clock, long now)
    {
        while (true)
        {
            long time = record.Time;
            if (time > 0 && use.EndAfter(time, clock) > now)
                return true;
            // A pending record is ended as well: its thread then fails to complete it, and reads the entry again.
            if (!(time is > 0 or Record.Pending) || record.TryExchange(time, Record.EndAfter(time)))
                return false;
        }
    }

    private Record Add(ulong version, ulong hash)
    {
        while (true)
        {
            Set set = Newest;
            if (TryAdd(set, version, hash, Ways, out Record record))
                return record;
            int length = Count > set.Length / Sparse ? 2 * set.Length : set.Length; // else drained cells fill it
            // Records in the older sets stay where they are, and lookups go through all sets.
            Interlocked.CompareExchange(ref _newest, new Set(length, set), set);
        }
    }
}
