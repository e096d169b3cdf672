using System;
using System.Diagnostics;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Removes the entries with a tag, or all: a mark says up to which version they are no more.</summary>
/// <remarks>
/// Removals by tag and of everything outdate the runs of factories first, and then pass through the locks of their buckets: a run that was
/// faster has a version below that of the removal's mark.
/// </remarks>
internal static class Marking
{
    /// <summary>Removes all entries with a tag that were put before.</summary>
    internal static void RemoveByTag(this TableCore core, string tag)
    {
        ulong hash = TagHash.Of(tag);
        core.OutdateFlights(hash);
        // All blocks and their version are there before the first counts: without room for all, nothing is removed.
        _ = core.WasFound ? core.Publish([core.Tags.SeededHashOf(tag), hash]) : core.Publish([hash]);
    }

    /// <summary>Removes all entries that were put before.</summary>
    /// <returns>The version up to which they are no more.</returns>
    internal static ulong MarkAll(this TableCore core)
    {
        core.OutdateFlights(TagMarks.AllTag);
        return core.Publish([TagMarks.AllTag]);
    }

    /// <summary>Drops the marks up to a version, of which no entry is left that they concern.</summary>
    /// <returns><see langword="false"/> while one may yet be found; another round has to be made then.</returns>
    internal static bool DropMarksUpTo(this TableCore core, ulong version, bool allOnly)
    {
        if (core.RemovedKeys != null)
            return false; // an entry that one of them is about may yet be found
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
        Debug.Assert(!tags.IsEmpty, "A mark is of a tag, or of all.");
        ulong floor = core.Clock.VersionAt(core.Clock.Now);
        CriticalRegion critical = core.EnterWriter();
        try
        {
            core.MarkExpirable();
            return core.Tags.Publish(tags, floor);
        }
        catch (PileFullException e) when (core.Pile.Blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // there will be room once what was freed is durably so
        }
        finally
        {
            core.MarkExpirable(); // once more, as a round of the sweep may have ended before the mark was there
            core.Pile.Blocks.ExitAfterFree(critical);
        }
        return core.Publish(tags, core.Pile.Blocks.Reclaimer.Reclaim(attempt));
    }

    // A run that began before has told the table what it keeps, or sees that it is outdated.
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
            core.Index.Lock(hash).Dispose();
        }
        finally
        {
            core.Pile.Blocks.Exit(critical);
        }
    }
}
