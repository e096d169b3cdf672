using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Begins factory runs for missing keys, so that an older result never wins.</summary>
/// <remarks>
/// A run keeps its value only if its key was neither put nor removed since it began. A put shows in the version in the index, under the
/// bucket's lock. Removals from the index, and removals of missing keys, outdate the runs under that lock; while no factory runs, that
/// costs one load. For removals by tag and clears see <see cref="TagInvalidation"/>.
/// </remarks>
internal static class Joining
{
    /// <summary>Begins a run for a missing key.</summary>
    /// <param name="core">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="tags">The tag hashes of the entry to be put.</param>
    /// <returns>The ticket, which must be ended with the run; <see langword="null"/> when the key is present.</returns>
    internal static FlightTicket? BeginFlight(this TableCore core, in KeyProbe key, ulong[] tags)
    {
        while (true)
        {
            try
            {
                return core.BeginFlightInRegion(key, tags);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            key.Matcher!.Learn();
        }
    }

    private static FlightTicket? BeginFlightInRegion(this TableCore core, in KeyProbe key, ulong[] tags)
    {
        Debug.Assert(tags.Length <= EntryHead.MaxTags, "The run is outdated by its entry's tags, and there are no more of them.");
        long now = core.Clock.BeforeLock;
        using ReadScope scope = core.EnterReader();
        using LockedBucket bucket = core.Index.Lock(key.Hash);
        bool isThere = core.TryFindLocked(bucket, key, out LockedEntry entry) && !core.IsNoneLocked(entry.Head, ref now)
            && (entry.Head.Kind != ValueKind.Pointer || core.IsLive(entry.Owned));
        // Under the lock: a put of the key from here on has a higher version than the ticket's, and a removal finds the ticket.
        return isThere ? null : core.Flights.Begin(key.Hash, core.Pile.Engine.Versions.Last, tags);
    }
}
