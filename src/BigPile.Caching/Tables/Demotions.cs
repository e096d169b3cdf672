using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Liveness;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tables;

/// <summary>The way of a table's evicted entries to its file: copied under their bucket's lock, written later by any thread.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed unsafe class Demotions(TableEngine table, SpillStore spill)
{
    private bool _isOver; // set once, after the file has gone

    /// <summary>Copies an evicted entry, for <see cref="Drain"/> to write. The bucket's lock is held.</summary>
    /// <returns>
    /// The copy; null for an entry that is not demoted: a pointer goes with its object, a tombstone has no value, and for others there may
    /// be no space.
    /// </returns>
    internal PendingDemotion? BeginLocked(in LockedEntry entry)
    {
        if (entry.Head.Kind is ValueKind.Pointer or ValueKind.Tombstone)
            return null;
        if (table.PileCapacity.Backlog.IsFull)
        {
            spill.CountLost();
            return null;
        }
        byte* payload = table.Heap.View(entry.Address).Payload;
        int keyOffset = (int)(entry.Head.Key - payload);
        var key = new ReadOnlySpan<byte>(entry.Head.Key, entry.Head.KeyBytes);
        return spill.BeginDemotionLocked(
            table.Hash.Of(key), entry.Head.Version, new ReadOnlySpan<byte>(payload, (int)entry.PayloadBytes),
            keyOffset..(keyOffset + key.Length));
    }

    /// <summary>Queues the copy for writing, once no slot points to its entry.</summary>
    internal void QueueLocked(in EntryHead head, PendingDemotion pending)
    {
        // Slot, then records; pairs with the exchange in ReadBuffer.RecordUse. A read records its use, and then looks at the slot: it sees
        // that the slot has changed, or this sees its use.
        Interlocked.MemoryBarrier();
        long used = table.Liveness.UnwrittenUseOf(head);
        Queue(pending, used == 0 ? 0 : table.Clock.RenewalOf(head, used & ~ReadBuffer.Record.Ahead));
    }

    // The bucket's lock is held, or the use is 0.
    private void Queue(PendingDemotion pending, long slidesUntil)
    {
        spill.QueueLocked(pending, slidesUntil); // from here on another thread may write it; its length stays
        table.PileCapacity.Backlog.Add(table.Shrink, pending.LengthBytes);
    }

    /// <summary>Writes pending demotions to the file. The caller is outside of critical regions.</summary>
    /// <param name="mostBytes">It ends with the copy that reaches this: a call does not write what all others evict.</param>
    /// <param name="waits">Whether it waits for a stripe lock, and else ends there. A caller that holds one must not.</param>
    /// <returns>The bytes of the copies that it took.</returns>
    internal long Drain(long mostBytes = long.MaxValue, bool waits = true)
    {
        long taken = 0;
        while (taken < mostBytes && TryTakePending(out PendingDemotion? entry))
        {
            KeyStripe stripe = spill.StripeOf(entry.Hash);
            if (!stripe.TryEnter(waits))
            {
                PutBack(entry);
                break;
            }
            taken += entry.LengthBytes;
            try
            {
                WriteStripeLocked(stripe, entry);
            }
            finally
            {
                stripe.Lock.Exit();
            }
        }
        return taken;
    }

    private void WriteStripeLocked(KeyStripe stripe, PendingDemotion entry)
    {
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "An entry is written under its key's stripe lock.");
        if (!stripe.IsPending(entry))
            return; // put, removed or promoted meanwhile
        EntryState state = table.Liveness.Of(entry.Payload);
        if (state.IsDead())
            table.Disk!.ReportDead(entry.Payload, state);
        else if (!spill.TryWriteStripeLocked(entry))
            ReportEvicted(entry.Payload); // counted when it left memory
        stripe.Remove(entry); // under the lock: no call finds it in neither place
    }

    // It was in its stripe all the time.
    private void PutBack(PendingDemotion entry)
    {
        Queue(entry, slidesUntil: 0);
        Interlocked.MemoryBarrier(); // queue, then flag; End the other way round: one of the two sees the entry
        if (Volatile.Read(ref _isOver))
            ForgetPending();
    }

    private void ForgetPending()
    {
        Interlocked.MemoryBarrier();
        while (TryTakePending(out _)) // nothing is left of them
            continue;
    }

    /// <summary>Nothing is written any more: the file has gone.</summary>
    internal void End()
    {
        Volatile.Write(ref _isOver, true);
        ForgetPending();
    }

    private bool TryTakePending([NotNullWhen(true)] out PendingDemotion? entry)
    {
        if (!spill.TryNext(out entry))
            return false;
        table.PileCapacity.Backlog.Remove(entry.LengthBytes);
        return true;
    }

    // An entry, counted as evicted before, is lost.
    private void ReportEvicted(ReadOnlySpan<byte> block)
    {
        using ReadScope scope = table.EnterReader();
        fixed (byte* payload = block)
            table.Feed.TellGone(scope.Critical, ChangeKind.Evicted, new EntryHead(payload), block.Length);
    }
}
