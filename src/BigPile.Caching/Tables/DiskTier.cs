using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Hash;

namespace BigPile.Caching.Tables;

/// <summary>Moves entries between memory and file, and applies each operation on a key to both.</summary>
/// <remarks>
/// See <see cref="SpillStore"/>: the key's stripe lock makes each move atomic for callers. No stripe lock is waited for in a critical
/// region, nor, but by a clear, while another one is held.
/// </remarks>
internal sealed unsafe partial class DiskTier(TableEngine table, SpillStore spill) : IDisposable
{
    private const int MostTries = 8; // then a key that keeps moving counts as missing
    private const long MostBesideOwn = 64 << 10; // that an operation writes beside what it evicts

    /// <summary>The figures of a table in memory, with those of the file.</summary>
    internal TableStatistics AddTo(TableStatistics inMemory)
    {
        (long entries, long bytes) = spill.Size;
        return inMemory with
        {
            SpilledEntries = entries,
            SpilledBytes = bytes,
            SpillReturns = spill.Promoted,
            SpillLosses = spill.Lost,
        };
    }

    /// <summary>Removes all spilled entries after an action, while no entry moves.</summary>
    internal void ClearAfter(Action action) => spill.ClearAfter(action);

    /// <inheritdoc cref="SpillStore.WatchPromotions"/>
    internal PromotionWatch WatchPromotions() => spill.WatchPromotions();

    /// <summary>The way of evicted entries to the file.</summary>
    internal Demotions Demotions { get; } = new(table, spill);

    /// <summary>The demoted entries. For tests.</summary>
    internal SpillStore Store => spill;

    public void Dispose()
    {
        spill.Dispose();
        Demotions.End();
    }

    /// <summary>The lock of a key's stripe, which is held over each move of its entry. Not taken in a critical region.</summary>
    internal Lock LockOf(in KeyProbe key) => spill.StripeOf(key.Hash).Lock;

    // Writes what an operation has evicted by adding an entry, and a share of what the pile's tables owe their files.
    private void DrainAfter(long addedBytes)
    {
        Demotions.Drain(2 * addedBytes + MostBesideOwn);
        table.PileCapacity.Backlog.Write(addedBytes);
    }

    /// <summary>Reads the value of a key that memory does not have, and promotes it. A stale entry stays where it is.</summary>
    internal bool TryRead<TReader>(
        in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info, bool readsStale = false)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        for (int tries = 0; tries < MostTries; tries++)
        {
            SpillOutcome outcome = Promote(key, block, minVersion);
            if (outcome == SpillOutcome.Missing || (outcome == SpillOutcome.Stale && !readsStale))
                return false;
            if (outcome != SpillOutcome.InMemory)
            {
                ReadBlock(block, ref reader, out info);
                return true;
            }
            // With no stripe lock: reads of memory take none.
            if (new Lookup(table, readsStale).TryReadMemory(key, ref reader, minVersion, out info))
                return true; // else too old, or evicted again
        }
        return false;
    }

    /// <summary>As <see cref="TryRead"/>, for a call that counts as a hit or a miss.</summary>
    internal bool TryReadCounted<TReader>(
        in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        bool found = TryRead(key, ref reader, minVersion, out info);
        if (table.CountsReads)
            table.Count(found ? Counter.Hits : Counter.Misses);
        return found;
    }

    /// <summary>
    /// The keys of spilled entries. With a <see cref="PromotionWatch"/> from before the walk through memory, every entry that exists all
    /// the time is found in memory, pending, in the file, or by the watch; one that moves meanwhile may be found more than once.
    /// </summary>
    internal IEnumerable<byte[]> Keys()
    {
        Demotions.Drain(); // what is pending now is written, or found next
        foreach (byte[] key in spill.PendingKeys())
            yield return key;
        // After the pending ones: an entry that was written meanwhile is in the file.
        using IEnumerator<HashRecord>? walk = spill.BeginWalk();
        while (walk != null && walk.MoveNext())
            yield return walk.Current.Key.ToArray();
    }

    /// <summary>Puts a value, and removes the key's spilled entry.</summary>
    internal PutResult Put(
        in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        EvictSurplusFirst();
        PutResult result;
        lock (LockOf(key))
        {
            result = request.Condition.IsOfVersion
                ? PutIfStripeLocked(key, spec, request, out info)
                : PutStripeLocked(key, spec, request, out info);
            // Only after success: a refused put changes nothing. In between memory has the new value, and the file the old one: the lock
            // hides it, and a kill leaves no file to read.
            if (result is not (Condition.NotMet or PutResult.Collision) && TryReplaceStripeLocked(key, info.Version))
                result = PutResult.Replaced;
        }
        // With no stripe lock held: it takes others.
        DrainAfter(key.Bytes.Length + request.Value.Length);
        return result;
    }

    /// <summary>Removes a key from memory and file.</summary>
    /// <returns>Whether it was present.</returns>
    internal bool Remove(in KeyProbe key, Condition condition)
    {
        lock (LockOf(key))
        {
            // Memory before file: under the lock entries move that way only, by evictions, so none escapes.
            bool wasThere = table.Delete.FromMemory(key, condition) || TryReportRemovedStripeLocked(key, condition);
            if (wasThere || condition.IsNone) // without a condition also a dead one goes
                spill.RemoveStripeLocked(key.Hash, key.Bytes);
            return wasThere;
        }
    }

    /// <summary>Whether the entry of a key was evicted, and waits to be written. The stripe lock is held.</summary>
    internal bool HasPendingStripeLocked(in KeyProbe key) =>
        spill.StripeOf(key.Hash).Find(key.Hash, key.Bytes) is { } pending && IsAliveBlockOf(key, pending.Payload);

    private bool TryReportRemovedStripeLocked(in KeyProbe key, Condition condition)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        if (!TryReadAliveStripeLocked(key, block) || !condition.IsMetBy(VersionOf(block.WrittenSpan)))
            return false;
        table.Delete.OutdateFlights(key); // memory had nothing to remove, and so outdated none with a condition
        ReportGone(block.WrittenSpan, Counter.Removals, isCall: true);
        return true;
    }

    // Otherwise the put would evict all of it at once.
    private void EvictSurplusFirst()
    {
        while (table.Limits.IsFarOver() && table.Shrink.TryEvictOne(table.Clock.Now))
            continue;
    }

    /// <summary>Removes the spilled entry of a key that was put.</summary>
    /// <returns>Whether that entry was live.</returns>
    private bool TryReplaceStripeLocked(in KeyProbe key, ulong version)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        if (!spill.TryReadStripeLocked(key.Hash, key.Bytes, block, out _))
            return false;
        spill.RemoveStripeLocked(key.Hash, key.Bytes, version); // a new entry that is evicted already stays
        return IsAliveBlockOf(key, block.WrittenSpan) && VersionOf(block.WrittenSpan) < version;
    }

    private PutResult PutStripeLocked(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        // Readers of the feed are told whether the key was there. Whether there are any is a hint here.
        bool replaces = table.Feed.IsOn && TryVersionStripeLocked(key, out _);
        return table.Put.ToMemory(key, spec, replaces ? request with { ReplacesSpilled = true } : request, out info);
    }

    // No other thread puts the key meanwhile, but memory may evict it at any instant.
    private PutResult PutIfStripeLocked(in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        while (true)
        {
            info = default;
            // The ticket stands for "not in memory": an eviction or a removal since then outdates it, and the loop looks again.
            FlightTicket? ticket = table.FlightStart.BeginFlight(key, []);
            if (ticket == null)
            {
                if (request.Condition.IsMetBy(0))
                    return Condition.NotMet; // it is in memory, and must be missing
                PutResult replaced = table.Put.ToMemory(key, spec, request, out info);
                if (replaced != Condition.NotMet || !TryVersionStripeLocked(key, out _))
                    return replaced;
                continue; // evicted since it was found
            }
            try
            {
                block.Clear();
                bool isThere = TryReadAliveStripeLocked(key, block);
                if (!request.Condition.IsMetBy(isThere ? VersionOf(block.WrittenSpan) : 0))
                    return Condition.NotMet;
                // The spilled entry is the basis: the put looks whether its tags were removed meanwhile, of which the ticket knows
                // nothing.
                PutRequest inFlight = request.On(Condition.Of(ticket), isThere ? block.WrittenSpan : default);
                PutResult result = table.Put.ToMemory(key, spec, inFlight, out info);
                if (result != Condition.NotMet)
                    return result;
            }
            finally
            {
                table.Flights.End(ticket);
            }
        }
    }

    /// <summary>Copies the block of a key's spilled entry, if it is live. The stripe lock is held.</summary>
    internal bool TryReadAliveStripeLocked(in KeyProbe key, PileBuffer block, bool readsStale = false) =>
        spill.TryReadStripeLocked(key.Hash, key.Bytes, block, out _) && IsAliveBlockOf(key, block.WrittenSpan, readsStale);

    /// <summary>The version of a key's spilled entry; 0: none, or dead.</summary>
    private bool TryVersionStripeLocked(in KeyProbe key, out ulong version)
    {
        version = 0;
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        if (!TryReadAliveStripeLocked(key, block))
            return false;
        version = VersionOf(block.WrittenSpan);
        return true;
    }
}

/// <summary>The outcome of a lookup of a key that memory did not have.</summary>
internal enum SpillOutcome
{
    /// <summary>There is no entry.</summary>
    Missing,

    /// <summary>Memory has it: it was put or promoted meanwhile.</summary>
    InMemory,

    /// <summary>It is stale, and stays in the file; its block was copied.</summary>
    Stale,

    /// <summary>It was promoted; its block was copied.</summary>
    Promoted,

    /// <summary>It stays in the file as the table is at its limit and nothing in it may go; its block was copied.</summary>
    TableFull,

    /// <summary>It stays in the file as the pile is full and nothing gives way; its block was copied.</summary>
    PileFull,
}
