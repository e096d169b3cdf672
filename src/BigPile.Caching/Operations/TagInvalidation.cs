using System;
using System.Diagnostics;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Removes the entries with a tag, or all: a mark invalidates them up to a version.</summary>
internal static class TagInvalidation
{
    /// <summary>Removes all entries with a tag that were put before.</summary>
    internal static void RemoveByTag(this TableCore core, string tag)
    {
        ulong hash = TagHash.Of(tag);
        // Before the mark draws its version: a run that began earlier has put its value by then, with a lower version, or can't put it any
        // more.
        core.OutdateFlights(hash);
        // All mark blocks are allocated before the first is published: without space for all, nothing is removed.
        _ = core.WasFound ? core.Publish([core.Tags.SeededHashOf(tag), hash]) : core.Publish([hash]);
    }

    /// <summary>Removes all entries that were put before.</summary>
    /// <returns>The version up to which entries are invalid.</returns>
    internal static ulong MarkAll(this TableCore core)
    {
        core.OutdateFlights(TagMarks.AllTag); // first, as in RemoveByTag
        return core.Publish([TagMarks.AllTag]);
    }

    /// <summary>Drops the marks up to a version. No entry that they concern is left.</summary>
    /// <returns><see langword="false"/> while one may still be found; then another round is needed.</returns>
    internal static bool DropMarksUpTo(this TableCore core, ulong version, bool allOnly)
    {
        if (core.RemovedKeys != null)
            return false; // the comparison may still find an entry that a mark concerns
        CriticalRegion critical = core.EnterWriter();
        try
        {
            core.Tags.DropUpTo(version, allOnly);
        }
        finally
        {
            core.Pile.Blocks.ExitAfterFree(critical);
        }
        return true;
    }

    private static ulong Publish(this TableCore core, ReadOnlySpan<ulong> tags, int attempt = 0)
    {
        Debug.Assert(!tags.IsEmpty, "A mark concerns a tag, or all entries.");
        ulong floor = core.Clock.VersionAt(core.Clock.Now); // before the region: the clock may wait
        CriticalRegion critical = core.EnterWriter();
        try
        {
            core.MarkExpirable(); // before the mark: a kill in between leaves a flag too many
            return core.Tags.Publish(tags, floor); // all entries concerned read as missing from here on
        }
        catch (PileFullException e) when (core.Pile.Blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // retried once a flush has completed the pending frees
        }
        finally
        {
            core.MarkExpirable(); // again: a round of the sweep may have ended before the mark existed
            core.Pile.Blocks.ExitAfterFree(critical);
        }
        return core.Publish(tags, core.Pile.Blocks.Reclaimer.Reclaim(attempt));
    }

    // After this, a run that began before has put its value, or sees that it is outdated.
    private static void OutdateFlights(this TableCore core, ulong tag)
    {
        if (!core.Flights.IsAny)
            return;
        foreach (ulong hash in core.Flights.OutdateTagged(tag == TagMarks.AllTag ? null : tag))
            core.PassThrough(hash);
    }

    private static void PassThrough(this TableCore core, ulong hash)
    {
        CriticalRegion critical = core.EnterReader();
        try
        {
            // Who held the lock has put its value; who acquires it later finds its ticket outdated in FlightTickets.MayKeep.
            core.Index.Lock(hash).Dispose();
        }
        finally
        {
            core.Pile.Blocks.Exit(critical);
        }
    }
}
