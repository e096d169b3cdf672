using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Caching.SingleFlight;

/// <summary>Which keys' factories failed of late, and so are not tried again yet.</summary>
/// <remarks>
/// A direct-mapped cache: a failure of another key may take the place of one, whose factory is then tried once more. So an outage of the
/// source takes half a megabyte, however many keys fail. In process memory: after a restart each factory is tried. Thread safety: all
/// members may be called concurrently.
/// </remarks>
internal sealed class FailureThrottle
{
    private const int SlotBits = 16;
    private const int TagShift = 48; // the tag above an instant
    private const ulong InstantMask = (1UL << TagShift) - 1; // of ticks: instants differ up to half of 325 days

    /// <summary>The longest throttle. What would be left of a longer one is an instant of the past.</summary>
    internal static readonly TimeSpan Longest = FactoryTimeouts.Longest;

    private ulong[]? _slots; // created by the first failure; each one word, so no reader sees half of one

    /// <summary>Whether any factory failed since the table was opened.</summary>
    internal bool IsAny => Volatile.Read(ref _slots) != null;

    /// <summary>Whether a key's factory is not to be tried yet.</summary>
    internal bool IsThrottled(ulong hash, long now)
    {
        if (Volatile.Read(ref _slots) is not { } slots)
            return false;
        ulong slot = Volatile.Read(ref slots[IndexOf(hash)]);
        return slot >> TagShift == TagOf(hash) && TicksLeft(slot, now) is var left && left > 0 && left <= Longest.Ticks;
    }

    /// <summary>Keeps a key's factory from being tried until an instant of cache time.</summary>
    internal void Set(ulong hash, long until)
    {
        Debug.Assert(until > 0, "Instants of cache time are ticks of UTC.");
        ulong[] slots = LazyInitializer.EnsureInitialized(ref _slots, static () => new ulong[1 << SlotBits]);
        Volatile.Write(ref slots[IndexOf(hash)], TagOf(hash) << TagShift | (ulong)until & InstantMask);
    }

    /// <summary>The factory has made a value: nothing is known against it.</summary>
    internal void Clear(ulong hash)
    {
        if (Volatile.Read(ref _slots) is { } slots && Volatile.Read(ref slots[IndexOf(hash)]) >> TagShift == TagOf(hash))
            Volatile.Write(ref slots[IndexOf(hash)], 0);
    }

    private static int IndexOf(ulong hash) => (int)(hash & ((1 << SlotBits) - 1));

    private static ulong TagOf(ulong hash) => hash >> TagShift | 1; // never 0, as an empty slot has

    // Of 48 bits, with their sign.
    private static long TicksLeft(ulong slot, long now) => (long)((slot - (ulong)now) << (64 - TagShift)) >> (64 - TagShift);
}
