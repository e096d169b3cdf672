using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Feed;
using BigPile.Caching.Tags;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Removes the entries with a tag, or all: a mark invalidates them up to a version.</summary>
internal readonly unsafe struct TagRemoval(TableEngine table)
{
    /// <summary>Removes all entries with a tag that were put before.</summary>
    internal void RemoveByTag(string tag)
    {
        ulong hash = TagHash.Of(tag);
        // Before the mark draws its version: a run that began earlier has put its value by then, with a lower version, or can't put it any
        // more.
        OutdateFlights(hash);
        if (table.WasFound)
            OutdateFlights(table.Tags.SeededHashOf(tag)); // that of an entry which a factory found not modified
        // All mark blocks are allocated before the first is published: without space for all, nothing is removed.
        _ = table.WasFound ? Publish([table.Tags.SeededHashOf(tag), hash]) : Publish([hash]);
    }

    /// <summary>Removes all entries that were put before.</summary>
    /// <returns>The version up to which entries are invalid; 0 on failure.</returns>
    internal ulong TryMarkAll(out PileException? failure)
    {
        OutdateFlights(TagMarks.AllTag); // first, as in RemoveByTag
        return TryPublish([TagMarks.AllTag], othersGiveWay: false, out failure); // a clear frees the table's own entries
    }

    /// <summary>Drops the marks up to a version. No entry that they concern is left.</summary>
    /// <returns><see langword="false"/> while one may still be found; then another round is needed.</returns>
    internal bool DropMarksUpTo(ulong version, bool allOnly)
    {
        if (table.RemovalLog.Removed != null)
            return false; // the inspection may still find an entry that a mark concerns
        using (ChangeScope scope = table.EnterWriter())
        {
            // After a kill the mark says whether the record of its removal stands, so it stays until the record's lane was left. What is
            // told of a clear holds for those before it.
            if (!allOnly && table.Feed.IsOn && table.Feed.Watermark() < version)
                return false;
            table.Tags.DropUpTo(version, allOnly);
        }
        return true;
    }

    // Returns 0 if the pile is full.
    private ulong TryPublish(ReadOnlySpan<ulong> tags, bool othersGiveWay, out PileException? failure)
    {
        Debug.Assert(!tags.IsEmpty, "A mark concerns a tag, or all entries.");
        var attempts = default(ReclaimAttempts);
        do
        {
            ulong floor = table.Clock.VersionAt(table.Clock.Now); // before the region: the clock may wait
            using ChangeScope scope = table.EnterWriter();
            try
            {
                table.Content.MarkExpirable(); // before the mark: a kill in between leaves a flag too many
                ulong version = Publish(scope.Critical, tags, floor, out failure);
                if (failure == null)
                    return version; // all entries concerned read as missing from here on
            }
            finally
            {
                table.Content.MarkExpirable(); // again: a round of the sweep may have ended before the mark existed
            }
        }
        while (table.Heap.TryReclaim(failure, ref attempts, evicts: othersGiveWay, isPut: false));
        return 0;
    }

    private ulong Publish(CriticalRegion critical, ReadOnlySpan<ulong> tags, ulong floor, out PileException? failure)
    {
        if (!table.Feed.IsOn)
            return table.Tags.Publish(tags, floor, null, out failure);
        TableFeed feed = table.Feed;
        FeedLane* lane = feed.Enter(critical); // before the version, and before the lock of the marks
        bool isMade = false;
        try
        {
            ulong[] told = tags.ToArray();
            ulong version = table.Tags.Publish(
                tags, floor, drawn => feed.TellMarked(lane, drawn, told, told[0] == TagMarks.AllTag), out failure);
            isMade = failure == null;
            return version;
        }
        finally
        {
            feed.Leave(lane, isMade);
        }
    }

    private ulong Publish(ReadOnlySpan<ulong> tags)
    {
        ulong version = TryPublish(tags, othersGiveWay: true, out PileException? failure);
        return failure == null ? version : throw failure;
    }

    // After this, a run that began before has put its value, or sees that it is outdated.
    private void OutdateFlights(ulong tag)
    {
        if (!table.Flights.IsAny)
            return;
        foreach (ulong hash in table.Flights.OutdateTagged(tag == TagMarks.AllTag ? null : tag))
            PassThrough(hash);
    }

    private void PassThrough(ulong hash)
    {
        using ReadScope scope = table.EnterReader();
        // Who held the lock has put its value; who acquires it later finds its ticket outdated in FlightTickets.MayKeep.
        table.Index.Lock(hash).Dispose();
    }
}
