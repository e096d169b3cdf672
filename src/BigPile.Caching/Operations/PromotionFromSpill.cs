using System;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Promotes spilled entries: puts them back into memory as they were.</summary>
/// <remarks>
/// A promotion is treated like a factory's value for a missing key: a faster put or removal outdates it. Version, age and tags stay; the
/// expiry of a sliding entry is extended as by any use.
/// </remarks>
internal static unsafe class PromotionFromSpill
{
    /// <summary>Promotes an entry that memory does not have. The stripe lock is held.</summary>
    internal static SpillOutcome PromoteStripeLocked(
        this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block, ulong minVersion)
    {
        while (true)
        {
            FlightTicket? ticket = core.BeginFlight(key, []); // no tags: SwapLocking judges the block itself
            if (ticket == null)
                return SpillOutcome.InMemory;
            try
            {
                if (core.TryPromoteStripeLocked(spill, key, block, ticket, minVersion) is { } outcome)
                    return outcome;
            }
            finally
            {
                core.Flights.End(ticket);
            }
        }
    }

    /// <returns><see langword="null"/> when something happened meanwhile to the key, or to one with the same hash tag.</returns>
    private static SpillOutcome? TryPromoteStripeLocked(
        this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block, FlightTicket ticket, ulong minVersion)
    {
        block.Clear();
        if (!spill.TryReadStripeLocked(key.Hash, key.Bytes, block, out PendingDemotion? pending))
            return SpillOutcome.Missing;
        if (!core.IsBlockOf(key, block.WrittenSpan))
        {
            // Not an entry of this key: what a file returns is not trusted.
            spill.RemoveStripeLocked(key.Hash, key.Bytes);
            return SpillOutcome.Missing;
        }
        Liveness liveness = core.LivenessOf(block.WrittenSpan);
        if (liveness.IsDead())
        {
            spill.RemoveStripeLocked(key.Hash, key.Bytes);
            core.ReportDead(block.WrittenSpan, liveness);
            return SpillOutcome.Missing;
        }
        if (SpilledBlocks.VersionOf(block.WrittenSpan) < minVersion)
            return SpillOutcome.Missing; // for this caller; it stays
        bool isExtended = core.ExtendExpiry(block);
        // The copy in the file stays until memory has the entry: a failure in between loses nothing, and the stripe lock hides that there
        // are two.
        PutResult? result = core.IsFarOverLimits() ? PutResult.Collision : core.PutPromoted(key, block.WrittenSpan, ticket);
        if (result is null)
            return null; // the ticket is outdated: look again
        if (result == PutResult.Collision)
        {
            if (isExtended)
                spill.RewriteStripeLocked(key.Hash, key.Bytes, block.WrittenSpan, pending); // the use counts, though the entry stays
            return SpillOutcome.MemoryFull;
        }
        spill.EndPromotionStripeLocked(key.Hash, key.Bytes, pending); // it may be evicted and pending again by now: that copy stays
        return SpillOutcome.Promoted;
    }

    // Extends the expiry in the block by this use, wherever the entry is then. Returns whether it changed.
    private static bool ExtendExpiry(this TableCore core, PileBuffer block)
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            long now = core.Clock.Now;
            if (!head.IsSliding || CacheClock.Add(now, head.SlidingTicks) <= head.ExpiresAt)
                return false;
            EntryHead.SetExpiry(payload, core.Clock.RenewalOf(head, now));
            return true;
        }
    }

    private static PutResult? PutPromoted(this TableCore core, in KeyProbe key, ReadOnlySpan<byte> block, FlightTicket ticket)
    {
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            Span<ulong> tags = stackalloc ulong[EntryHead.MaxTags];
            for (int i = 0; i < head.TagCount; i++)
                tags[i] = head.Tag(i);
            var spec = new EntrySpec
            {
                ExpiresAt = head.ExpiresAt,
                SlidingTicks = head.IsSliding ? head.SlidingTicks : 0,
                SlidingEnd = head.IsSliding ? head.SlidingEnd : head.ExpiresAt,
                Priority = head.Priority,
                Tags = tags[..head.TagCount],
            };
            var request = new PutRequest(block[head.ValueOffset..], head.Kind, Condition.Of(ticket)) { KeptVersion = head.Version };
            PutResult? result = core.TryPutOnce(key, spec, request, out _, out PileException? failure);
            return failure switch
            {
                null => result,
                PileFullException => PutResult.Collision, // the table keeps its entries
                _ => throw failure,
            };
        }
    }
}
