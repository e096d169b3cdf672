using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;

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
    /// <returns>The version up to which entries are invalid; 0 on failure.</returns>
    internal static ulong TryMarkAll(this TableCore core, out PileException? failure)
    {
        core.OutdateFlights(TagMarks.AllTag); // first, as in RemoveByTag
        return core.TryPublish([TagMarks.AllTag], out failure);
    }

    /// <summary>Drops the marks up to a version. No entry that they concern is left.</summary>
    /// <returns><see langword="false"/> while one may still be found; then another round is needed.</returns>
    internal static bool DropMarksUpTo(this TableCore core, ulong version, bool allOnly)
    {
        if (core.RemovedKeys != null)
            return false; // the comparison may still find an entry that a mark concerns
        using (ChangeScope scope = core.EnterWriter())
        {
            core.Tags.DropUpTo(version, allOnly);
        }
        return true;
    }

    // Returns 0 if the pile is full.
    private static ulong TryPublish(this TableCore core, ReadOnlySpan<ulong> tags, out PileException? failure)
    {
        Debug.Assert(!tags.IsEmpty, "A mark concerns a tag, or all entries.");
        int attempt = 0;
        do
        {
            ulong floor = core.Clock.VersionAt(core.Clock.Now); // before the region: the clock may wait
            using ChangeScope scope = core.EnterWriter();
            try
            {
                core.MarkExpirable(); // before the mark: a kill in between leaves a flag too many
                ulong version = core.Tags.Publish(tags, floor, out failure);
                if (failure == null)
                    return version; // all entries concerned read as missing from here on
            }
            finally
            {
                core.MarkExpirable(); // again: a round of the sweep may have ended before the mark existed
            }
        }
        while (core.Pile.Blocks.Reclaimer.TryReclaim(failure, ref attempt));
        return 0;
    }

    private static ulong Publish(this TableCore core, ReadOnlySpan<ulong> tags)
    {
        ulong version = core.TryPublish(tags, out PileException? failure);
        return failure == null ? version : throw failure;
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
        using ReadScope scope = core.EnterReader();
        // Who held the lock has put its value; who acquires it later finds its ticket outdated in FlightTickets.MayKeep.
        core.Index.Lock(hash).Dispose();
    }
}
