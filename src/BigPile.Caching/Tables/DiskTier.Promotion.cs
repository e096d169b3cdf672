using System;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tables;

/// <summary>Promotes spilled entries: puts them back into memory as they were.</summary>
/// <remarks>
/// A promotion is treated like a factory's value for a missing key: a faster put or removal outdates it. Version, age and tags stay; the
/// expiry of a sliding entry is extended as by any use.
/// </remarks>
internal sealed unsafe partial class DiskTier
{
    /// <summary>Promotes an entry that memory does not have.</summary>
    /// <param name="key">The key.</param>
    /// <param name="block">Receives the entry's block, if one was found.</param>
    /// <param name="minVersion">An entry below this version counts as missing, and stays where it is.</param>
    internal SpillOutcome Promote(
        in KeyProbe key, PileBuffer block, ulong minVersion = 0)
    {
        SpillOutcome outcome;
        lock (LockOf(key)) // over the access to the file, in no critical region
            outcome = PromoteStripeLocked(key, block, minVersion);
        if (outcome == SpillOutcome.Promoted)
            DrainAfter(block.LengthBytes); // other entries were evicted for it
        return outcome;
    }

    /// <summary>Promotes an entry for an operation that needs it in memory.</summary>
    /// <returns>Whether it is in memory, or was meanwhile.</returns>
    /// <exception cref="PileFullException">The table or the pile has no space for it, and nothing may go.</exception>
    internal bool TryPromote(in KeyProbe key)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        EvictSurplusFirst(); // what lowered limits have left is no reason to refuse
        SpillOutcome outcome = Promote(key, block);
        if (outcome is SpillOutcome.TableFull or SpillOutcome.PileFull)
            throw new PileFullException(WhyItStays(outcome));
        return outcome is not (SpillOutcome.Missing or SpillOutcome.Stale);
    }

    private string WhyItStays(SpillOutcome outcome)
    {
        string stays = $"An entry of the table '{table.Name}' is in its file, where it has no pointer, and can't come back to memory: ";
        return outcome == SpillOutcome.TableFull
            ? stays + "the table is at its limit, and nothing in it may go. Raise its MaxBytes or MaxEntries, or remove entries with "
                + "EntryPriority.NeverEvict; reads without a pointer find the value where it is."
            : stays + $"the pile is full, and no table gives way. Raise {PileLimit.OptionName}, delete objects, or set "
                + "TableOptions.GivesWay of tables that may evict; reads without a pointer find the value where it is.";
    }

    /// <summary>Promotes an entry that memory does not have. The stripe lock is held.</summary>
    internal SpillOutcome PromoteStripeLocked(
        in KeyProbe key, PileBuffer block, ulong minVersion)
    {
        while (true)
        {
            FlightTicket? ticket = table.FlightStart.BeginFlight(key, []); // no tags: Upsert.TryFindPlace judges the block itself
            if (ticket == null)
                return SpillOutcome.InMemory;
            try
            {
                if (TryPromoteStripeLocked(key, block, ticket, minVersion) is { } outcome)
                    return outcome;
            }
            finally
            {
                table.Flights.End(ticket);
            }
        }
    }

    /// <returns><see langword="null"/> when something happened meanwhile to the key, or to one with the same hash tag.</returns>
    private SpillOutcome? TryPromoteStripeLocked(
        in KeyProbe key, PileBuffer block, FlightTicket ticket, ulong minVersion)
    {
        block.Clear();
        if (!spill.TryReadStripeLocked(key.Hash, key.Bytes, block, out PendingDemotion? pending))
            return SpillOutcome.Missing;
        if (!table.Entries.IsEntryOf(key, block.WrittenSpan))
        {
            // Not an entry of this key: what a file returns is not trusted.
            spill.RemoveStripeLocked(key.Hash, key.Bytes);
            return SpillOutcome.Missing;
        }
        EntryState state = table.Liveness.Of(block.WrittenSpan);
        if (state.IsDead())
        {
            spill.RemoveStripeLocked(key.Hash, key.Bytes);
            ReportDead(block.WrittenSpan, state);
            return SpillOutcome.Missing;
        }
        if (VersionOf(block.WrittenSpan) < minVersion)
            return SpillOutcome.Missing; // for this caller; it stays
        if (state == EntryState.Stale)
            return SpillOutcome.Stale;
        bool isExtended = ExtendExpiry(block);
        // The copy in the file stays until memory has the entry: a failure in between loses nothing, and the stripe lock hides that there
        // are two.
        bool isPileFull = false;
        PutResult result =
            table.Limits.IsFarOver() ? PutResult.Collision : PutPromoted(key, block.WrittenSpan, ticket, out isPileFull);
        if (result == Condition.NotMet)
            return null; // the ticket is outdated: look again
        if (result == PutResult.Collision)
        {
            if (isExtended)
                spill.RewriteStripeLocked(key.Hash, key.Bytes, block.WrittenSpan, pending); // the use counts, though the entry stays
            return isPileFull ? SpillOutcome.PileFull : SpillOutcome.TableFull;
        }
        spill.EndPromotionStripeLocked(key.Hash, key.Bytes, pending); // it may be evicted and pending again by now: that copy stays
        return SpillOutcome.Promoted;
    }

    // Extends the expiry in the block by this use, wherever the entry is then. Returns whether it changed.
    private bool ExtendExpiry(PileBuffer block)
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            long now = table.Clock.Now;
            if (!head.IsSliding || CacheClock.Add(now, head.SlidingTicks) <= head.ExpiresAt)
                return false;
            EntryHead.SetExpiry(payload, table.Clock.RenewalOf(head, now));
            return true;
        }
    }

    private PutResult PutPromoted(in KeyProbe key, ReadOnlySpan<byte> block, FlightTicket ticket, out bool isPileFull)
    {
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            EntrySpec spec = head.ToSpec(stackalloc ulong[EntryHead.MaxTags]);
            var request = new PutRequest(block[head.ValueOffset..], head.Kind, Condition.Of(ticket)) { KeptVersion = head.Version };
            scoped Upsert upsert = default;
            upsert.Prepare(table, key, spec, request);
            upsert.Run();
            isPileFull = upsert.Failure is PileFullException;
            return upsert.Failure switch
            {
                null => upsert.Result,
                PileFullException => PutResult.Collision, // the table keeps its entries
                _ => throw upsert.Failure,
            };
        }
    }
}
