using System;
using System.Diagnostics;
using System.Numerics;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>What reads have noticed of entries, until a thread that may change these takes it: uses of sliding ones, and ends.</summary>
/// <remarks>
/// <para>
/// A hash set by the entries' versions, which stay as long as the entries do, wherever their blocks go. No use is lost: a set in which an
/// entry finds no place gets a newer one before it. A use that is here counts, whoever asks whether the entry lives.
/// </para>
/// <para>
/// An entry ends once: who finds it over (<see cref="IsAlive(in SlidingUse, CacheClock, long)"/>) has read the clock first, and then ends
/// all its notes, and those of uses that are about to be noted. Who notes a use has shown a note without a time, reads the clock behind
/// that, and then states the time by a compare-exchange. So of the two one sees the other; or who notes reads a later time, and refuses.
/// Who takes a use writes a later end than the use gives. So he has the note say so before (<see cref="TryMarkAhead"/>): an entry that was found
/// over between the two would be back.
/// </para>
/// <para>
/// Memory ordering. A place is of one entry as long as its set is there, so what is exchanged in it is that entry's. It is claimed by a
/// compare-exchange of its version, the first free one of those that the entry may have, and never given back: so nobody looks further than
/// to a free one. Its hash follows, and then its time is <see cref="Record.Pending"/>; before that it is no note, and who has claimed it has
/// not read the clock. A full barrier and the clock follow. Who takes a note does what follows from it first, and then exchanges its time
/// for <see cref="Record.Drained"/>, so that no later use is lost. The next use is noted in the same place if its set is the newest: so the
/// older ones go. An entry may have two notes, of two threads or two sets: the later use counts. A set goes once all its places are sealed,
/// by whoever has the <see cref="DrainLock"/>.
/// </para>
/// Thread safety: all members may be called concurrently; those that say so by whoever has the <see cref="DrainLock"/>.
/// </remarks>
internal sealed partial class ReadBuffer
{
    /// <summary>The places of a set that has not grown.</summary>
    internal const int MinCells = 512;

    private const int Ways = 16;
    private const int EndWays = 4; // what is no more makes no set grow
    private const int FineShift = 20; // a use that is later by less than a millionth of its life is none
    private const int Sparse = 4; // of so many places one is taken in a set of the right length

    private Set _newest = new(MinCells, older: null);
    private int _count;
    private int _deferred;
    private int _isQueued;

    /// <summary>Whoever takes notes is alone.</summary>
    internal TinySpinLock DrainLock;

    /// <summary>About how many notes there are.</summary>
    internal int Count => Math.Max(0, Volatile.Read(ref _count));

    /// <summary>Whether there are so many that they are to be taken before the next sweep: also twice as many as could not be.</summary>
    internal bool ShouldDrain => Count > Math.Max(Newest.Length / 4, 2L * Volatile.Read(ref _deferred));

    /// <summary>Whether there is anything: notes, or memory that notes had.</summary>
    internal bool HasAny => Count > 0 || Newest.Length > MinCells || Newest.Older != null;

    /// <summary>The newest set; the others follow it.</summary>
    internal Set Newest => Volatile.Read(ref _newest);

    /// <summary>Whether the caller is the one to have a thread of the pool take the notes, since none is going to.</summary>
    internal bool TryBeginQueued() => Volatile.Read(ref _isQueued) == 0 && Interlocked.Exchange(ref _isQueued, 1) == 0;

    /// <summary>States that the thread has begun: what is noted from now on may need another one.</summary>
    internal void EndQueued() => Volatile.Write(ref _isQueued, 0);

    /// <summary>Notes a use, now, of a sliding entry that was seen alive.</summary>
    /// <returns>The use's time; 0 if the entry may have ended meanwhile: look at it again.</returns>
    internal long RecordUse(in SlidingUse use, ulong hash, CacheClock clock)
    {
        foreach (Record record in RecordsOf(use.Version))
        {
            if (Refresh(record, use, clock) is not 0 and var time)
                return time;
        }
        return CompletePending(Add(use.Version, hash), use, clock); // what lives by another note ends at a place that has none
    }

    /// <summary>Notes that an entry is no more, once, and where there is room.</summary>
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

    /// <summary>Whether a use keeps an entry alive that is over by what its block says. Else none will that is noted from now on.</summary>
    /// <param name="use">What the block says; that it is the entry's is certain.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="now">An instant that was read before; the entry is over by it.</param>
    internal bool IsAlive(in SlidingUse use, CacheClock clock, long now)
    {
        Interlocked.MemoryBarrier();
        foreach (Record record in RecordsOf(use.Version))
        {
            if (IsAlive(record, use, clock, now))
                return true;
        }
        return false;
    }

    /// <summary>The time of the last use of a sliding entry that was noted and not taken; 0 if there is none.</summary>
    /// <remarks>Whoever takes a note has written what follows from it before: look at the entry again where this finds none.</remarks>
    internal long LastUseOf(ulong version)
    {
        long last = 0;
        foreach (Record record in RecordsOf(version))
            last = Math.Max(last, record.Time);
        return last;
    }

    /// <summary>Has the last use of an entry count for one that has taken its place. The lock of their bucket is held.</summary>
    internal void TransferLocked(ulong from, ulong to, ulong hash)
    {
        Interlocked.MemoryBarrier(); // whoever notes a use behind this sees that the entry has left its place
        long last = LastUseOf(from);
        if (last != 0)
            _ = Add(to, hash).TryExchange(Record.Pending, last);
    }

    /// <summary>The note at a place, if there is one that is to be done, and then cleared. The gate is held.</summary>
    internal bool TryPeek(Set set, int number, out Record record, out long time)
    {
        Debug.Assert(DrainLock.IsTaken, "Two that take notes would do one twice.");
        record = new Record(set, number);
        time = set.VersionAt(number) == 0 ? 0 : record.Time;
        return time is > 0 or Record.End;
    }

    /// <summary>
    /// Has a use give what a renewal is going to write for it, before that is written. The gate is held. If that can't be written, the note
    /// still says so, and once.
    /// </summary>
    /// <returns><see langword="false"/> if the entry was found to be no more meanwhile, or used once more.</returns>
    internal static bool TryMarkAhead(Record record, ref long time)
    {
        long marked = time | Record.Ahead;
        if (marked != time && !record.TryExchange(time, marked))
            return false;
        time = marked;
        return true;
    }

    /// <summary>Clears a note that was done; not where a later use has come meanwhile. The gate is held.</summary>
    internal bool TryClear(Record record, long time)
    {
        if (!record.TryExchange(time, Record.Drained))
            return false;
        Interlocked.Decrement(ref _count);
        return true;
    }

    /// <summary>Gives the memory of sets back that have nothing any more, or little. The gate is held.</summary>
    /// <param name="peakCount">How many notes there were.</param>
    /// <param name="isDeferred">Whether notes are left that can't be done now, and are not to be tried again soon.</param>
    internal void EndDrain(int peakCount, bool isDeferred)
    {
        Volatile.Write(ref _deferred, isDeferred ? Count : 0);
        Set newest = Newest;
        int enough = Math.Max(MinCells, (int)Math.Min(BitOperations.RoundUpToPowerOf2((uint)peakCount) * (long)Sparse, newest.Length));
        if (enough < newest.Length)
            Interlocked.CompareExchange(ref _newest, new Set(enough, newest), newest);
        for (Set set = Newest; set.Older is { } older;)
        {
            if (older.TryClose())
                set.Older = older.Older;
            else
                set = older;
        }
    }

    private EntryRecords RecordsOf(ulong version) => new(Newest, version);

    // A note whose time is to be stated.
    private bool TryAdd(Set set, ulong version, ulong hash, int ways, out Record record)
    {
        Interlocked.Increment(ref _count); // before anybody can take it
        bool isAdded = set.TryClaim(version, hash, ways, out int number);
        if (!isAdded)
            Interlocked.Decrement(ref _count);
        record = new Record(set, number);
        return isAdded;
    }

    // Moves a use that is noted to now, if it still counts; else 0. Where a renewal is being written, the later use gives as much more.
    private static long Refresh(Record record, in SlidingUse use, CacheClock clock)
    {
        long time = record.Time;
        if (time <= 0)
            return 0;
        long now = clock.Now & ~Record.Ahead;
        if (now >= use.ExpiresAt && now >= use.EndAfter(time, clock))
            return 0;
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

    // States the time of a note that has none.
    private long CompletePending(Record record, in SlidingUse use, CacheClock clock)
    {
        Interlocked.MemoryBarrier();
        long now = clock.Now & ~Record.Ahead; // behind the barrier
        Debug.Assert(now > 0, "The numbers below stand for other things.");
        if (now < use.ExpiresAt)
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
            if (!(time is > 0 or Record.Pending) || record.TryExchange(time, Record.End))
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
            int length = Count > set.Length / Sparse ? 2 * set.Length : set.Length; // else what was taken has its places
            Interlocked.CompareExchange(ref _newest, new Set(length, set), set);
        }
    }
}
