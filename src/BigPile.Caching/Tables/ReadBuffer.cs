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
/// A hash set by the entries' versions, which stay as long as the entries do, wherever their blocks go. No use is lost: a set whose places
/// are taken gets one of twice the size before it. A use that is here counts, whoever asks whether the entry lives.
/// </para>
/// <para>
/// An entry ends once: who finds it over (<see cref="IsAlive(in SlidingUse, CacheClock, long)"/>) has read the clock first, and then ends
/// all its notes, and those of uses that are about to be noted. Who notes a use has shown a note without a time, reads the clock behind
/// that, and then states the time by a compare-exchange. So of the two one sees the other; or who notes reads a later time, and refuses.
/// </para>
/// <para>
/// Memory ordering. A note is of one entry for ever, so what is exchanged in it is that entry's. It comes to a place by a compare-exchange
/// from nothing, and its version follows, by which it is found, before a full barrier and the clock. Who takes a note does what follows
/// from it first; then he exchanges its time for <see cref="Note.Taken"/>, so that no later use is lost, and empties the place. Where that
/// meets a claim, an entry may have two notes: the later use counts. A set goes once all its places are sealed, by whoever has the
/// <see cref="Gate"/>.
/// </para>
/// Thread safety: all members may be called concurrently; those that say so by whoever has the <see cref="Gate"/>.
/// </remarks>
internal sealed partial class ReadBuffer
{
    /// <summary>The places of a set that has not grown.</summary>
    internal const int LeastPlaces = 512;

    private const int Ways = 16;
    private const int WaysOfEnds = 4; // what is no more makes no set grow
    private const int FineShift = 20; // a use that is later by less than a millionth of its life is none
    private const int Sparse = 8; // of so many places one is taken in a set that has shrunk

    private static readonly Note Sealed = new(0, 0, Note.Taken);

    private Set _newest = new(LeastPlaces, older: null);
    private int _count;
    private int _isQueued;
    private bool _isKept;

    /// <summary>Whoever takes notes is alone.</summary>
    internal SpinGate Gate;

    /// <summary>About how many notes there are.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Whether there are so many that they are to be taken now, and not at the next sweep.</summary>
    internal bool IsToBeTaken => Count > Newest.Length / 4 && !Volatile.Read(ref _isKept);

    /// <summary>Whether there is anything: notes, or memory that notes had.</summary>
    internal bool HasAny => Count > 0 || Newest.Length > LeastPlaces || Newest.Older != null;

    /// <summary>The newest set; the others follow it.</summary>
    internal Set Newest => Volatile.Read(ref _newest);

    /// <summary>Whether the caller is the one to have a thread of the pool take the notes, since none is going to.</summary>
    internal bool TryBeginQueued() => Volatile.Read(ref _isQueued) == 0 && Interlocked.Exchange(ref _isQueued, 1) == 0;

    /// <summary>States that the thread has begun: what is noted from now on may need another one.</summary>
    internal void EndQueued() => Volatile.Write(ref _isQueued, 0);

    /// <summary>Notes a use, now, of a sliding entry that was seen alive.</summary>
    /// <returns>The use's time; 0 if the entry may have ended meanwhile: look at it again.</returns>
    internal long NoteUse(in SlidingUse use, ulong hash, CacheClock clock)
    {
        foreach (Note note in Of(use.Version))
        {
            if (Move(note, use, clock) is not 0 and var time)
                return time;
        }
        return NoteFirst(use, hash, clock);
    }

    /// <summary>Notes that an entry is no more, once, and where there is room.</summary>
    internal void NoteEnd(ulong version, ulong hash)
    {
        Set set = Newest;
        int first = Set.FirstOf(version);
        for (int way = 0; way < WaysOfEnds; way++)
        {
            if (set.Find(first + way, version) != null)
                return;
        }
        _ = TryAdd(set, new Note(version, hash, Note.End), WaysOfEnds, out _);
    }

    /// <summary>Whether a use keeps an entry alive that is over by what its block says. Else none will that is noted from now on.</summary>
    /// <param name="use">What the block says.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="now">An instant that was read before; the entry is over by it.</param>
    internal bool IsAlive(in SlidingUse use, CacheClock clock, long now)
    {
        Interlocked.MemoryBarrier();
        foreach (Note note in Of(use.Version))
        {
            if (IsAlive(note, use, clock, now))
                return true;
        }
        return false;
    }

    /// <summary>The last use of a sliding entry that was noted and not taken; 0 if there is none.</summary>
    /// <remarks>Whoever takes a note has written what follows from it before: look at the entry again where this finds none.</remarks>
    internal long LastUseOf(ulong version)
    {
        long last = 0;
        foreach (Note note in Of(version))
            last = Math.Max(last, note.Time);
        return last;
    }

    /// <summary>Has the last use of an entry count for one that has taken its place. The lock of their bucket is held.</summary>
    internal void HandOnLocked(ulong from, ulong to, ulong hash)
    {
        Interlocked.MemoryBarrier(); // whoever notes a use behind this sees that the entry has left its place
        long last = LastUseOf(from);
        if (last != 0)
            Add(new Note(to, hash, last), out _);
    }

    /// <summary>What is at a place, if it is to be done, and then cleared. The gate is held.</summary>
    /// <returns>The note and its time; none where there is nothing, or nothing complete.</returns>
    internal (Note? Note, long Time) Peek(Set set, int number)
    {
        Debug.Assert(Gate.IsTaken, "Two that take notes would do one twice.");
        Note? note = set.At(number);
        long time = note?.Time ?? 0;
        return time is 0 or Note.Taken ? (null, 0) : (note, time);
    }

    /// <summary>Clears a place whose note was done; not where a later use has come meanwhile. The gate is held.</summary>
    internal bool TryClear(Set set, int number, Note note, long time)
    {
        if (!note.TryExchange(time, Note.Taken))
            return false;
        Free(set, number);
        return true;
    }

    /// <summary>Gives the memory of sets back that have nothing any more, or little. The gate is held.</summary>
    /// <param name="isKept">Whether notes are left that can't be done now, and are not to be tried again before the next sweep.</param>
    internal void EndTaking(bool isKept)
    {
        Volatile.Write(ref _isKept, isKept);
        Set newest = Newest;
        int enough = Math.Max(LeastPlaces, (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(0, Count) * Sparse));
        if (enough < newest.Length / 2 || (enough == LeastPlaces && newest.Length > LeastPlaces))
            Interlocked.CompareExchange(ref _newest, new Set(enough, newest), newest);
        for (Set set = Newest; set.Older is { } older;)
        {
            if (older.TrySeal())
                set.Older = older.Older;
            else
                set = older;
        }
    }

    private EntryNotes Of(ulong version) => new(Newest, version);

    // Moves a use that is noted already to now, if it still counts; else 0.
    private static long Move(Note note, in SlidingUse use, CacheClock clock)
    {
        while (true)
        {
            long time = note.Time;
            if (time <= 0)
                return 0;
            long now = clock.Now;
            if (now >= use.ExpiresAt && now >= use.EndAfter(time, clock))
                return 0;
            if (now - time <= use.SlidingTicks >> FineShift)
                return time;
            if (note.TryExchange(time, now))
                return now;
        }
    }

    private long NoteFirst(in SlidingUse use, ulong hash, CacheClock clock)
    {
        var note = new Note(use.Version, hash, time: 0);
        Set set = Add(note, out int number);
        Interlocked.MemoryBarrier();
        long now = clock.Now; // behind the barrier
        Debug.Assert(now > 0, "The numbers below stand for other things.");
        if (now < use.ExpiresAt)
            return note.TryExchange(0, now) ? now : 0;
        if (note.TryExchange(0, Note.Taken))
            Free(set, number);
        return 0;
    }

    private static bool IsAlive(Note note, in SlidingUse use, CacheClock clock, long now)
    {
        while (true)
        {
            long time = note.Time;
            if (time > 0 && use.EndAfter(time, clock) > now)
                return true;
            if (time < 0 || note.TryExchange(time, Note.End))
                return false;
        }
    }

    private Set Add(Note note, out int number)
    {
        while (true)
        {
            Set set = Newest;
            if (TryAdd(set, note, Ways, out number))
                return set;
            Interlocked.CompareExchange(ref _newest, new Set(2 * set.Length, set), set);
        }
    }

    private bool TryAdd(Set set, Note note, int ways, out int number)
    {
        number = Set.FirstOf(note.Version);
        for (int way = 0; way < ways; way++, number++)
        {
            if (!set.TryPut(number, note))
                continue;
            Interlocked.Increment(ref _count);
            return true;
        }
        return false;
    }

    private void Free(Set set, int number)
    {
        set.Clear(number);
        Interlocked.Decrement(ref _count);
    }
}
