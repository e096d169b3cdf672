using System.Diagnostics;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>What reads have noticed of entries, until a thread that may change these takes it: uses of sliding ones, and ends.</summary>
/// <remarks>
/// <para>
/// A set of fixed size, as the read buffer of Caffeine is one. A block has some places, by where it is in memory. What finds them taken is
/// lost, and the next read makes it good: a use is noted as soon as it would move the entry's end, which is nearly a life ahead. A use that
/// is here counts, whoever asks whether the entry lives (<see cref="LastUseOf"/>); so it may stay here as long as there is room.
/// </para>
/// <para>
/// Memory ordering. The payload claims a place (compare-exchange from 0), version and hash follow, and then the time (release): a place whose
/// time is 0 is not complete, and nobody's to read. A later use moves the time by a compare-exchange from what it was, and whoever takes a
/// note clears the time likewise, so that no use is lost between the two; behind that it frees the place (release). Where a thread stalls
/// between two of these steps, the same entry may have a second place: the later use counts. A version that is read behind a time is that
/// time's, or that of a later entry in the block: for this one it is a use from before its put, which moves no end.
/// </para>
/// Thread safety: all members may be called concurrently; <see cref="Note"/>s are taken by whoever has the <see cref="Gate"/>.
/// </remarks>
internal sealed class ReadBuffer
{
    /// <summary>How many notes there can be.</summary>
    internal const int Capacity = 512;

    private const int Ways = 16; // while a quarter of all places is taken, one in a billion uses finds none
    private const int WaysOfEnds = 4; // what is no more keeps no use out
    private const int FineShift = 20; // a use that is later by less than a millionth of its life is none
    private const long EndBit = 1; // payloads begin at multiples of eight

    private readonly Place[] _places = new Place[Capacity];
    private int _count;
    private int _isQueued;

    /// <summary>Whoever takes notes is alone.</summary>
    internal SpinGate Gate;

    /// <summary>About how many notes there are.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Whether there are so many that they are to be taken.</summary>
    internal bool IsToBeTaken => Count > Capacity / 4;

    /// <summary>Whether the caller is the one to have a thread of the pool take the notes, since none is going to.</summary>
    internal bool TryBeginQueued() => Volatile.Read(ref _isQueued) == 0 && Interlocked.Exchange(ref _isQueued, 1) == 0;

    /// <summary>States that the thread has begun: what is noted from now on may need another one.</summary>
    internal void EndQueued() => Volatile.Write(ref _isQueued, 0);

    /// <summary>Notes a use of a sliding entry that lives.</summary>
    /// <param name="payload">Where its block's payload is.</param>
    /// <param name="version">Its version, as another entry may come to the block.</param>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="now">The instant, in ticks.</param>
    /// <param name="slidingTicks">What each use gives.</param>
    /// <returns>Whether it was noted.</returns>
    internal bool TryNoteUse(nint payload, ulong version, ulong hash, long now, long slidingTicks) =>
        TryNote(payload, version, hash, now, slidingTicks >> FineShift, Ways);

    /// <summary>Notes that an entry is no more.</summary>
    internal void NoteEnd(nint payload, ulong version, ulong hash, long now) =>
        _ = TryNote(payload | (nint)EndBit, version, hash, now, long.MaxValue, WaysOfEnds);

    /// <summary>The last use of a sliding entry that was noted and not taken; 0 if there is none.</summary>
    /// <remarks>Whoever takes a note has written what follows from it before: look at the entry again where this finds none.</remarks>
    internal long LastUseOf(nint payload, ulong version)
    {
        long last = 0;
        int first = FirstOf(payload);
        for (int way = 0; way < Ways; way++)
        {
            ref Place place = ref _places[(first + way) % Capacity];
            if (Volatile.Read(ref place.Payload) != payload)
                continue;
            long time = Volatile.Read(ref place.Time);
            if (time > last && Volatile.Read(ref place.Version) == version && Volatile.Read(ref place.Payload) == payload)
                last = time;
        }
        return last;
    }

    /// <summary>Looks at a place. What it has is to be done, and then cleared.</summary>
    /// <returns><see langword="false"/> where there is nothing, or nothing complete.</returns>
    internal bool TryPeek(int number, out Note note)
    {
        Debug.Assert(Gate.IsTaken, "Two that take notes would do one twice.");
        ref Place place = ref _places[number];
        long time = Volatile.Read(ref place.Time);
        note = new Note((nint)(place.Payload & ~EndBit), place.Version, place.Hash, time, IsUse: (place.Payload & EndBit) == 0);
        return time != 0;
    }

    /// <summary>Clears a place whose note was done; not where a later use has come meanwhile.</summary>
    internal bool TryClear(int number, in Note done)
    {
        ref Place place = ref _places[number];
        if (Interlocked.CompareExchange(ref place.Time, 0, done.Time) != done.Time)
            return false;
        Volatile.Write(ref place.Payload, 0);
        Interlocked.Decrement(ref _count);
        return true;
    }

    private bool TryNote(nint payload, ulong version, ulong hash, long now, long fine, int ways)
    {
        Debug.Assert(now != 0 && payload != 0, "Both stand for none.");
        int first = FirstOf(payload);
        for (int way = 0; way < ways; way++)
        {
            ref Place place = ref _places[(first + way) % Capacity];
            long has = Volatile.Read(ref place.Payload);
            if (has == 0 && Interlocked.CompareExchange(ref place.Payload, payload, 0) == 0)
            {
                place.Version = version;
                place.Hash = hash;
                Volatile.Write(ref place.Time, now);
                Interlocked.Increment(ref _count);
                return true;
            }
            if (has == payload && IsNoted(ref place, version, now, fine))
                return true;
        }
        return false;
    }

    // The place may be of an entry whose block has gone to this one since.
    private static bool IsNoted(ref Place place, ulong version, long now, long fine)
    {
        while (true)
        {
            long time = Volatile.Read(ref place.Time);
            if (time == 0 || place.Version != version)
                return false; // just claimed, or just taken, or another's
            if (now - time <= fine || Interlocked.CompareExchange(ref place.Time, now, time) == time)
                return true;
        }
    }

    // Fibonacci hashing of the granule.
    private static int FirstOf(nint payload) => (int)((ulong)(payload >> 3) * 0x9E3779B97F4A7C15 >> 32) & (Capacity - 1);

    /// <summary>What was noted.</summary>
    internal readonly record struct Note(nint Payload, ulong Version, ulong Hash, long Time, bool IsUse);

    private struct Place
    {
        internal long Payload;
        internal ulong Version;
        internal ulong Hash;
        internal long Time;
    }
}
