using System;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Flights;
using BigPile.Caching.Keys;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Puts what was spilled back into memory, as it was.</summary>
/// <remarks>
/// It is as the value of a factory for a missing key: a put or a removal that was faster outdates it. Version, age and tags stay; the end
/// of a sliding entry is put off, as by any use.
/// </remarks>
internal static unsafe class Returning
{
    /// <summary>Has an entry come back that memory did not have. The gate is held.</summary>
    internal static SpillOutcome BringBackGated(
        this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block, ulong minVersion)
    {
        while (true)
        {
            FlightTicket? mark = core.BeginFlight(key, []);
            if (mark == null)
                return SpillOutcome.InMemory;
            try
            {
                if (core.TryReturnGated(spill, key, block, mark, minVersion) is { } outcome)
                    return outcome;
            }
            finally
            {
                core.Flights.End(mark);
            }
        }
    }

    /// <returns><see langword="null"/> when something happened to the key meanwhile, or to one that looks like it.</returns>
    private static SpillOutcome? TryReturnGated(
        this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block, FlightTicket mark, ulong minVersion)
    {
        block.Clear();
        if (!spill.TryReadGated(key.Hash, key.Bytes, block, out PendingDemotion? pending))
            return SpillOutcome.Missing;
        if (!core.IsBlockOf(key, block.WrittenSpan))
        {
            spill.RemoveGated(key.Hash, key.Bytes);
            return SpillOutcome.Missing;
        }
        Liveness liveness = core.LivenessOf(block.WrittenSpan);
        if (liveness.IsDead())
        {
            spill.RemoveGated(key.Hash, key.Bytes);
            core.ReportDead(block.WrittenSpan, liveness);
            return SpillOutcome.Missing;
        }
        if (SpilledBlocks.VersionOf(block.WrittenSpan) < minVersion)
            return SpillOutcome.Missing;
        bool isExtended = core.PutOffEnd(block);
        PutResult? result = core.IsFarOverLimits() ? PutResult.Collision : core.PutBack(key, block.WrittenSpan, mark);
        if (result is null)
            return null;
        if (result == PutResult.Collision)
        {
            if (isExtended)
                spill.RewriteGated(key.Hash, key.Bytes, block.WrittenSpan, pending);
            return SpillOutcome.MemoryFull;
        }
        spill.EndReturnGated(key.Hash, key.Bytes, pending); // it may have been evicted, and staged, once more by now: that one stays
        return SpillOutcome.Returned;
    }

    // The block has what the use gives, wherever the entry is now. Gives whether that is more than it had.
    private static bool PutOffEnd(this TableCore core, PileBuffer block)
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

    private static PutResult? PutBack(this TableCore core, in KeyProbe key, ReadOnlySpan<byte> block, FlightTicket mark)
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
            var order = new PutOrder(block[head.ValueOffset..], head.Kind, Condition.Of(mark)) { KeptVersion = head.Version };
            try
            {
                return core.PutOnce(key, spec, order, out _);
            }
            catch (PileFullException)
            {
                return PutResult.Collision; // the pile has no room, and the table may keep what it has
            }
        }
    }
}
