using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Tables;

/// <summary>Begins factory runs for missing keys, so that an older result never wins.</summary>
/// <remarks>
/// A run keeps its value only if its key was neither put nor removed since it began. A put shows in the version in the index, under the
/// bucket's lock. Removals from the index, and removals of missing keys, outdate the runs under that lock; while no factory runs, that
/// costs one load. For removals by tag and clears see <see cref="TagRemoval"/>.
/// </remarks>
internal readonly struct FlightStart(TableEngine table)
{
    /// <summary>Begins a run for a missing key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="tags">The tag hashes of the entry to be put.</param>
    /// <param name="replaced">The version of an entry that counts as missing; 0: none.</param>
    /// <returns>The ticket, which must be ended with the run; <see langword="null"/> when the key is present.</returns>
    internal FlightTicket? BeginFlight(in KeyProbe key, ulong[] tags, ulong replaced = 0)
    {
        while (true)
        {
            try
            {
                return BeginFlightInRegion(key, tags, replaced);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            key.Matcher!.Learn();
        }
    }

    private FlightTicket? BeginFlightInRegion(in KeyProbe key, ulong[] tags, ulong replaced)
    {
        Debug.Assert(tags.Length <= EntryHead.MaxTags, "The run is outdated by its entry's tags, and there are no more of them.");
        long now = table.Clock.BeforeLock;
        using ReadScope scope = table.EnterReader();
        using LockedBucket bucket = table.Index.Lock(key.Hash);
        bool isFound = table.Entries.TryFindLocked(bucket, key, out LockedEntry entry);
        bool isThere = isFound && entry.Head.Version != replaced && !table.Liveness.IsNoneLocked(entry.Head, ref now)
            && (entry.Head.Kind != ValueKind.Pointer || table.Entries.IsLive(entry.Owned));
        if (isThere)
            return null;
        // Who removes a tag of the entry that is replaced has the key removed, whatever the tags of the new one are.
        ulong[] watched = isFound && entry.Head.HasTags ? [.. tags, .. TagsOf(entry.Head)] : tags;
        // Under the lock: a put of the key from here on has a higher version than the ticket's, and a removal finds the ticket.
        return table.Flights.Begin(key.Hash, table.Heap.Versions.Last, watched);
    }

    private static ulong[] TagsOf(in EntryHead head)
    {
        var tags = new ulong[head.TagCount];
        for (int i = 0; i < tags.Length; i++)
            tags[i] = head.Tag(i);
        return tags;
    }
}
