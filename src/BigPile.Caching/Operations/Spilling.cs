using System.Collections.Generic;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Hash;

namespace BigPile.Caching.Operations;

/// <summary>Moves entries between memory and file, and applies each operation on a key to both.</summary>
/// <remarks>
/// See <see cref="SpillStore"/>: the key's stripe lock makes each move atomic for callers. No stripe lock is waited for in a critical
/// region, nor, but by a clear, while another one is held.
/// </remarks>
internal static class Spilling
{
    private const int MostTries = 8; // then a key that keeps moving counts as missing
    private const int MostForOneReturn = 64; // demotions that one promotion writes

    /// <summary>Writes pending demotions to the file. The caller is outside of critical regions and holds no stripe lock.</summary>
    /// <param name="core">The table.</param>
    /// <param name="most">The maximum number: a reader does not write what all others evict.</param>
    internal static void DrainSpill(this TableCore core, int most = int.MaxValue)
    {
        if (core.Spill is not { } spill)
            return;
        for (int i = 0; i < most && spill.TryNext(out PendingDemotion? entry); i++)
        {
            KeyStripe stripe = spill.StripeOf(entry.Hash);
            lock (stripe.Lock)
            {
                if (!stripe.IsPending(entry))
                    continue; // put, removed or promoted meanwhile
                Liveness liveness = core.LivenessOf(entry.Payload);
                if (liveness.IsDead())
                    core.ReportDead(entry.Payload, liveness);
                else if (!spill.TryWriteStripeLocked(entry))
                    core.ReportEvicted(entry.Payload); // counted when it left memory
                stripe.Remove(entry); // under the lock: no call finds it in neither place
            }
        }
    }

    /// <summary>Reads the value of a key that memory does not have, and promotes it.</summary>
    internal static bool TryReadSpilled<TReader>(
        this TableCore core, SpillStore spill, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        PileBuffer block = BufferRental.Rent();
        try
        {
            for (int tries = 0; tries < MostTries; tries++)
            {
                SpillOutcome outcome = core.Promote(spill, key, block, minVersion);
                if (outcome == SpillOutcome.Missing)
                    return false;
                if (outcome != SpillOutcome.InMemory)
                {
                    core.ReadBlock(block, ref reader, out info);
                    return true;
                }
                // With no stripe lock: reads of memory take none.
                if (core.TryReadMemory(key, ref reader, minVersion, out info))
                    return true; // else too old, or evicted again
            }
            return false;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    /// <summary>As <see cref="TryReadSpilled"/>, for a call that counts as a hit or a miss.</summary>
    internal static bool TryReadSpilledCounted<TReader>(
        this TableCore core, SpillStore spill, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        bool found = core.TryReadSpilled(spill, key, ref reader, minVersion, out info);
        if (core.CountsReads)
            core.Count(found ? Counter.Hits : Counter.Misses);
        return found;
    }

    /// <summary>Promotes an entry that memory does not have.</summary>
    /// <param name="core">The table.</param>
    /// <param name="spill">The table's spill store.</param>
    /// <param name="key">The key.</param>
    /// <param name="block">Receives the entry's block, if one was found.</param>
    /// <param name="minVersion">An entry below this version counts as missing, and stays where it is.</param>
    internal static SpillOutcome Promote(
        this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block, ulong minVersion = 0)
    {
        SpillOutcome outcome;
        lock (spill.StripeOf(key.Hash).Lock) // over the access to the file, in no critical region
            outcome = core.PromoteStripeLocked(spill, key, block, minVersion);
        if (outcome == SpillOutcome.Promoted)
            core.DrainSpill(MostForOneReturn); // other entries were evicted for it
        return outcome;
    }

    /// <summary>Promotes an entry for an operation that needs it in memory.</summary>
    /// <returns>Whether it is in memory, or was meanwhile.</returns>
    /// <exception cref="PileFullException">Nothing in memory may be evicted for it.</exception>
    internal static bool TryPromote(this TableCore core, SpillStore spill, in KeyProbe key)
    {
        PileBuffer block = BufferRental.Rent();
        try
        {
            SpillOutcome outcome = core.Promote(spill, key, block);
            if (outcome == SpillOutcome.MemoryFull)
            {
                throw new PileFullException(
                    $"An entry of the table '{core.Name}' can't come back to memory: the table is at its limit, and nothing in it may go.");
            }
            return outcome != SpillOutcome.Missing;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    /// <summary>
    /// The keys of spilled entries. With a <see cref="PromotionWatch"/> from before the walk through memory, every entry that exists all
    /// the time is found in memory, pending, in the file, or by the watch; one that moves meanwhile may be found more than once.
    /// </summary>
    internal static IEnumerable<byte[]> SpilledKeys(this TableCore core, SpillStore spill)
    {
        core.DrainSpill(); // what is pending now is written, or found next
        foreach (byte[] key in spill.PendingKeys())
            yield return key;
        // After the pending ones: an entry that was written meanwhile is in the file.
        using IEnumerator<HashRecord>? walk = spill.BeginWalk();
        while (walk != null && walk.MoveNext())
            yield return walk.Current.Key.ToArray();
    }

    /// <summary>Puts a value, and removes the key's spilled entry.</summary>
    internal static PutResult? PutSpilling(
        this TableCore core, SpillStore spill, in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        core.EvictSurplusFirst();
        PutResult? result;
        lock (spill.StripeOf(key.Hash).Lock)
        {
            result = request.Condition.IsOfVersion
                ? core.PutIfStripeLocked(spill, key, spec, request, out info)
                : core.PutOnce(key, spec, request, out info);
            // Only after success: a refused put changes nothing. In between memory has the new value, and the file the old one: the lock
            // hides it, and a kill leaves no file to read.
            if (result is not (null or PutResult.Collision) && core.TryReplaceStripeLocked(spill, key, info.Version))
                result = PutResult.Replaced;
        }
        // With no stripe lock held: it takes others.
        core.DrainSpill();
        return result;
    }

    /// <summary>Removes a key from memory and file.</summary>
    /// <returns>Whether it was present.</returns>
    internal static bool RemoveSpilling(this TableCore core, SpillStore spill, in KeyProbe key, Condition condition)
    {
        lock (spill.StripeOf(key.Hash).Lock)
        {
            // Memory before file: under the lock entries move that way only, by evictions, so none escapes.
            bool wasThere = core.RemoveOnce(key, condition);
            if (!wasThere && core.TryVersionStripeLocked(spill, key, out ulong version) && condition.IsMetBy(version))
            {
                core.Count(Counter.Removals);
                wasThere = true;
            }
            if (wasThere || condition.IsNone) // without a condition also a dead one goes
                spill.RemoveStripeLocked(key.Hash, key.Bytes);
            return wasThere;
        }
    }

    // Otherwise the put would evict all of it at once.
    private static void EvictSurplusFirst(this TableCore core)
    {
        while (core.IsFarOverLimits() && core.TryEvictOne(core.Clock.Now))
            continue;
    }

    /// <summary>Removes the spilled entry of a key that was put.</summary>
    /// <returns>Whether that entry was live.</returns>
    private static bool TryReplaceStripeLocked(this TableCore core, SpillStore spill, in KeyProbe key, ulong version)
    {
        PileBuffer block = BufferRental.Rent();
        try
        {
            if (!spill.TryReadStripeLocked(key.Hash, key.Bytes, block, out _))
                return false;
            spill.RemoveStripeLocked(key.Hash, key.Bytes, version); // a new entry that is evicted already stays
            return core.IsAliveBlockOf(key, block.WrittenSpan) && SpilledBlocks.VersionOf(block.WrittenSpan) < version;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    private static PutResult? PutIfStripeLocked(
        this TableCore core, SpillStore spill, in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        PileBuffer block = BufferRental.Rent();
        try
        {
            return core.PutIfStripeLocked(spill, key, spec, request, block, out info);
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    // No other thread puts the key meanwhile, but memory may evict it at any instant.
    private static PutResult? PutIfStripeLocked(
        this TableCore core, SpillStore spill, in KeyProbe key, in EntrySpec spec, in PutRequest request, PileBuffer block,
        out EntryInfo info)
    {
        while (true)
        {
            info = default;
            // The ticket stands for "not in memory": an eviction or a removal since then outdates it, and the loop looks again.
            FlightTicket? ticket = core.BeginFlight(key, []);
            if (ticket == null)
            {
                if (request.Condition.IsMetBy(0))
                    return null; // it is in memory, and must be missing
                PutResult? replaced = core.PutOnce(key, spec, request, out info);
                if (replaced != null || !core.TryVersionStripeLocked(spill, key, out _))
                    return replaced;
                continue; // evicted since it was found
            }
            try
            {
                block.Clear();
                bool isThere = core.TryReadAliveStripeLocked(spill, key, block);
                if (!request.Condition.IsMetBy(isThere ? SpilledBlocks.VersionOf(block.WrittenSpan) : 0))
                    return null;
                // The spilled entry is the basis: SwapLocking looks whether its tags were removed meanwhile, of which the ticket knows
                // nothing.
                PutRequest inFlight = request.On(Condition.Of(ticket), isThere ? block.WrittenSpan : default);
                if (core.PutOnce(key, spec, inFlight, out info) is { } result)
                    return result;
            }
            finally
            {
                core.Flights.End(ticket);
            }
        }
    }

    /// <summary>Copies the block of a key's spilled entry, unless it is dead. The stripe lock is held.</summary>
    internal static bool TryReadAliveStripeLocked(this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block) =>
        spill.TryReadStripeLocked(key.Hash, key.Bytes, block, out _) && core.IsAliveBlockOf(key, block.WrittenSpan);

    /// <summary>The version of a key's spilled entry; 0: none, or dead.</summary>
    private static bool TryVersionStripeLocked(this TableCore core, SpillStore spill, in KeyProbe key, out ulong version)
    {
        version = 0;
        PileBuffer block = BufferRental.Rent();
        try
        {
            if (!core.TryReadAliveStripeLocked(spill, key, block))
                return false;
            version = SpilledBlocks.VersionOf(block.WrittenSpan);
            return true;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }
}
