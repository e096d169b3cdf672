using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Begins runs of factories for missing keys, so that the older result never wins.</summary>
/// <remarks>
/// A run keeps its value only if its key was neither put nor removed since it began. A put is seen by the version of what it left, under
/// the lock of the bucket. What leaves the index, and the removal of a key that is not there, are told to the runs under that lock too;
/// while no factory runs that costs a look at one number. Removals by tag and of everything are in <see cref="Marking"/>.
/// </remarks>
internal static class Joining
{
    /// <summary>Begins a run for a key that is missing.</summary>
    /// <param name="core">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="tags">The hashes of the tags that the entry will have.</param>
    /// <returns>What the run has to hand back at its end; <see langword="null"/> when the key is there.</returns>
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
        Debug.Assert(tags.Length <= EntryHead.MaxTags, "The run is outdated by the tags that its entry will have, and by no others.");
        long now = core.Clock.BeforeLock;
        CriticalRegion critical = core.EnterReader();
        try
        {
            using LockedBucket bucket = core.Index.Lock(key.Hash);
            bool isThere = core.TryFindLocked(bucket, key, out LockedEntry entry) && !core.IsNoneLocked(entry.Head, ref now)
                && (entry.Head.Kind != ValueKind.Pointer || core.IsLive(entry.Owned));
            return isThere ? null : core.Flights.Begin(key.Hash, core.Pile.Engine.Versions.Last, tags);
        }
        finally
        {
            core.Pile.Blocks.Exit(critical);
        }
    }
}
