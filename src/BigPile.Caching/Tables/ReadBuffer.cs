using System;
using System.Diagnostics;
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
/// An entry ends once: who finds it over (<see cref="IsAlive"/>) has read the clock first, and then makes ends of all its uses, and of a
/// use that is about to be noted. Who notes a use shows that he is about to (<see cref="Place.Pending"/>), reads the clock behind that, and
/// then states it by a compare-exchange. So of the two one sees the other; or the one who notes reads a later time, and refuses.
/// </para>
/// <para>
/// Memory ordering. The version claims a place (compare-exchange from 0), the hash follows, and then the time (exchange). Only who claimed
/// a place changes its time from 0. Who takes a note does what follows from it first; then he takes the time back to 0 by a
/// compare-exchange, so that no later use is lost, and then the version (release). Where that meets a claim, an entry may have two places:
/// the later use counts. Sets are taken out of the chain once all their places are sealed, by whoever has the <see cref="Gate"/>.
/// </para>
/// Thread safety: all members may be called concurrently; those that say so by whoever has the <see cref="Gate"/>.
/// </remarks>
internal sealed class ReadBuffer
{
    /// <summary>The places of a set that has not grown.</summary>
    internal const int LeastPlaces = 512;

    private const int Ways = 16;
    private const int WaysOfEnds = 4; // what is no more makes no set grow
    private const int FineShift = 20; // a use that is later by less than a millionth of its life is none
    private const ulong Sealed = ulong.MaxValue; // above all versions

    private Set _newest = new(LeastPlaces, older: null);
    private int _count;
    private int _isQueued;
    private bool _isKept;

    /// <summary>Whoever takes notes is alone.</summary>
    internal SpinGate Gate;

    /// <summary>About how many notes there are.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Whether there are so many that they are to be taken now, and not at the next sweep.</summary>
    internal bool IsToBeTaken => Count > Volatile.Read(ref _newest).Places.Length / 4 && !Volatile.Read(ref _isKept);

    /// <summary>Whether there is anything: notes, or memory that notes had.</summary>
    internal bool HasAny => Count > 0 || Newest.Places.Length > LeastPlaces || Newest.Older != null;

    /// <summary>The newest set; the others follow it.</summary>
    internal Set Newest => Volatile.Read(ref _newest);

    /// <summary>Whether the caller is the one to have a thread of the pool take the notes, since none is going to.</summary>
    internal bool TryBeginQueued() => Volatile.Read(ref _isQueued) == 0 && Interlocked.Exchange(ref _isQueued, 1) == 0;

    /// <summary>States that the thread has begun: what is noted from now on may need another one.</summary>
    internal void EndQueued() => Volatile.Write(ref _isQueued, 0);

    /// <summary>Notes a use, now, of a sliding entry that was seen alive.</summary>
    /// <returns><see langword="false"/> if it may have ended meanwhile: look at it again.</returns>
    internal bool TryNoteUse(in SlidingUse use, ulong hash, CacheClock clock)
    {
        for (Set? set = Newest; set != null; set = set.Older)
        {
            int first = set.FirstOf(use.Version);
            for (int way = 0; way < Ways; way++)
            {
                ref Place place = ref set.At(first + way);
                if (Volatile.Read(ref place.Version) == use.Version && IsMoved(ref place, use, clock))
                    return true;
            }
        }
        return TryNoteFirst(use, hash, clock);
    }

    /// <summary>Notes that an entry is no more, where there is room.</summary>
    internal void NoteEnd(ulong version, ulong hash)
    {
        ref Place place = ref TryClaim(Newest, version, hash, WaysOfEnds, out bool isClaimed);
        if (isClaimed)
            Interlocked.Exchange(ref place.Time, Place.End);
    }

    /// <summary>Whether a use keeps an entry alive that is over by what its block says. Else none will that is noted from now on.</summary>
    /// <param name="use">What the block says.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="now">An instant that was read before; the entry is over by it.</param>
    internal bool IsAlive(in SlidingUse use, CacheClock clock, long now)
    {
        Interlocked.MemoryBarrier();
        for (Set? set = Newest; set != null; set = set.Older)
        {
            int first = set.FirstOf(use.Version);
            for (int way = 0; way < Ways; way++)
            {
                ref Place place = ref set.At(first + way);
                if (Volatile.Read(ref place.Version) == use.Version && IsUsed(ref place, use, clock, now))
                    return true;
            }
        }
        return false;
    }

    /// <summary>The last use of a sliding entry that was noted and not taken; 0 if there is none.</summary>
    /// <remarks>Whoever takes a note has written what follows from it before: look at the entry again where this finds none.</remarks>
    internal long LastUseOf(ulong version)
    {
        long last = 0;
        for (Set? set = Newest; set != null; set = set.Older)
        {
            int first = set.FirstOf(version);
            for (int way = 0; way < Ways; way++)
            {
                ref Place place = ref set.At(first + way);
                if (Volatile.Read(ref place.Version) == version)
                    last = Math.Max(last, Volatile.Read(ref place.Time));
            }
        }
        return last;
    }

    /// <summary>Has the last use of an entry count for one that has taken its place. The lock of their bucket is held.</summary>
    internal void HandOnLocked(ulong from, ulong to, ulong hash)
    {
        Interlocked.MemoryBarrier(); // whoever notes a use behind this sees that the entry has left its place
        long last = LastUseOf(from);
        if (last != 0)
            Interlocked.Exchange(ref Claim(to, hash).Time, last);
    }

    /// <summary>Looks at a place. What it has is to be done, and then cleared. The gate is held.</summary>
    /// <returns><see langword="false"/> where there is nothing, or nothing complete.</returns>
    internal bool TryPeek(Set set, int number, out Note note)
    {
        Debug.Assert(Gate.IsTaken, "Two that take notes would do one twice.");
        ref Place place = ref set.At(number);
        long time = Volatile.Read(ref place.Time);
        note = new Note(place.Version, place.Hash, time);
        return time is not (0 or Place.Pending);
    }

    /// <summary>Clears a place whose note was done; not where a later use has come meanwhile. The gate is held.</summary>
    internal bool TryClear(Set set, int number, in Note done)
    {
        ref Place place = ref set.At(number);
        if (Interlocked.CompareExchange(ref place.Time, 0, done.Time) != done.Time)
            return false;
        Free(ref place);
        return true;
    }

    /// <summary>Gives the memory of sets back that have nothing any more. The gate is held.</summary>
    /// <param name="isKept">Whether notes are left that can't be done now, and are not to be tried again before the next sweep.</param>
    internal void EndTaking(bool isKept)
    {
        Volatile.Write(ref _isKept, isKept);
        Set newest = Newest;
        if (Count == 0 && newest.Places.Length > LeastPlaces)
            Interlocked.CompareExchange(ref _newest, new Set(LeastPlaces, newest), newest);
        for (Set set = Newest; set.Older is { } older;)
        {
            if (older.TrySeal())
                set.Older = older.Older;
            else
                set = older;
        }
    }

    // A use that is noted already, and moved to now if it still counts.
    private static bool IsMoved(ref Place place, in SlidingUse use, CacheClock clock)
    {
        while (true)
        {
            long time = Volatile.Read(ref place.Time);
            if (time <= 0)
                return false;
            long now = clock.Now;
            if (now >= use.ExpiresAt && now >= use.EndAfter(time, clock))
                return false;
            if (now - time <= use.SlidingTicks >> FineShift || Interlocked.CompareExchange(ref place.Time, now, time) == time)
                return true;
        }
    }

    private bool TryNoteFirst(in SlidingUse use, ulong hash, CacheClock clock)
    {
        ref Place place = ref Claim(use.Version, hash);
        Interlocked.Exchange(ref place.Time, Place.Pending);
        long now = clock.Now; // behind the exchange
        Debug.Assert(now > 0, "The numbers below stand for other things.");
        if (now < use.ExpiresAt)
            return Interlocked.CompareExchange(ref place.Time, now, Place.Pending) == Place.Pending;
        if (Interlocked.CompareExchange(ref place.Time, 0, Place.Pending) == Place.Pending)
            Free(ref place);
        return false;
    }

    private static bool IsUsed(ref Place place, in SlidingUse use, CacheClock clock, long now)
    {
        while (true)
        {
            long time = Volatile.Read(ref place.Time);
            if (time > 0 && use.EndAfter(time, clock) > now)
                return true;
            if (time is 0 or Place.End || Interlocked.CompareExchange(ref place.Time, Place.End, time) == time)
                return false;
        }
    }

    private ref Place Claim(ulong version, ulong hash)
    {
        while (true)
        {
            Set set = Newest;
            ref Place place = ref TryClaim(set, version, hash, Ways, out bool isClaimed);
            if (isClaimed)
                return ref place;
            Interlocked.CompareExchange(ref _newest, new Set(2 * set.Places.Length, set), set);
        }
    }

    private ref Place TryClaim(Set set, ulong version, ulong hash, int ways, out bool isClaimed)
    {
        Debug.Assert(version is not (0 or Sealed), "Both stand for other things.");
        int first = set.FirstOf(version);
        for (int way = 0; way < ways; way++)
        {
            ref Place place = ref set.At(first + way);
            isClaimed = Volatile.Read(ref place.Version) == 0 && Interlocked.CompareExchange(ref place.Version, version, 0) == 0;
            if (!isClaimed)
                continue;
            place.Hash = hash;
            Interlocked.Increment(ref _count);
            return ref place;
        }
        isClaimed = false;
        return ref set.At(first);
    }

    private void Free(ref Place place)
    {
        Volatile.Write(ref place.Version, 0);
        Interlocked.Decrement(ref _count);
    }

    /// <summary>What was noted.</summary>
    internal readonly record struct Note(ulong Version, ulong Hash, long Time)
    {
        internal bool IsUse => Time > 0;
    }

    internal struct Place
    {
        /// <summary>The time of a place of which a use is about to be noted.</summary>
        internal const long Pending = -1;

        /// <summary>The time of a place whose entry is no more.</summary>
        internal const long End = -2;

        internal ulong Version;
        internal ulong Hash;
        internal long Time; // 0: not complete, and nobody's to change but who claimed the place
    }

    internal sealed class Set(int places, Set? older)
    {
        private Set? _older = older;

        internal Place[] Places { get; } = new Place[places];

        internal Set? Older
        {
            get => Volatile.Read(ref _older);
            set => Volatile.Write(ref _older, value);
        }

        internal ref Place At(int number) => ref Places[number & (Places.Length - 1)];

        // Fibonacci hashing: versions that follow one another differ in their lowest bits.
        internal int FirstOf(ulong version) => (int)(version * 0x9E3779B97F4A7C15 >> 32);

        /// <summary>Has nobody claim a place any more.</summary>
        /// <returns>Whether none is taken.</returns>
        internal bool TrySeal()
        {
            bool isEmpty = true;
            foreach (ref Place place in Places.AsSpan())
                isEmpty &= Interlocked.CompareExchange(ref place.Version, Sealed, 0) is 0 or Sealed;
            return isEmpty;
        }
    }
}
