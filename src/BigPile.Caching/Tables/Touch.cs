using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Extends the expiry of sliding entries that are used, and frees entries that reads found dead.</summary>
/// <remarks>
/// A read only records what it observed (<see cref="ReadBuffer"/>). The sweep drains the records, or a thread of the pool once there are
/// many.
/// </remarks>
internal sealed unsafe class Touch(TableEngine table)
{
    private const int MostRefused = 16; // copies that a full pile may refuse before a drain tries no more

    /// <summary>Extends the expiry of an entry as a use does.</summary>
    /// <returns>Whether the table has the key.</returns>
    internal bool TryTouch(in KeyProbe key) => TryTouch(key, out _);

    /// <inheritdoc cref="TryTouch(in KeyProbe)"/>
    internal bool TryTouch(in KeyProbe key, out EntryInfo info)
    {
        var reader = default(SizeReader);
        return table.Lookup.TryReadAgain(key, ref reader, out info);
    }

    /// <summary>Records a use of a sliding entry if it extends its expiry. Takes no lock.</summary>
    /// <returns>When the entry expires now; 0 if it may have ended meanwhile, and must be read again.</returns>
    internal long RecordUse(ulong hash, in SlidingUse use)
    {
        // It can't be extended, or reaches as far as this use would. The bound of the time is a little late, so at worst a use too many is
        // recorded.
        if (use.ExpiresAt >= use.End || use.ExpiresAt >= CacheClock.Add(table.Clock.NowAtMost, use.SlidingTicks))
            return use.ExpiresAt;
        long used = table.Liveness.Uses.RecordUse(use, hash, table.Clock);
        if (used == 0)
            return 0;
        QueueDrain();
        return Math.Max(use.ExpiresAt, use.EndAfter(used, table.Clock));
    }

    /// <summary>Records that a read found a dead entry. Takes no lock.</summary>
    internal void RecordEnd(ulong hash, ulong version)
    {
        table.Liveness.Uses.RecordEnd(version, hash);
        QueueDrain();
    }

    /// <summary>Drains the read buffer. The caller is outside of critical regions.</summary>
    /// <param name="waits">Whether to wait for another thread that drains; else its drain suffices.</param>
    /// <param name="isClosing">Whether the table is closed and no read runs any more.</param>
    internal void Drain(bool waits = false, bool isClosing = false)
    {
        if (table.Liveness.UsesOrNull is not { HasAny: true } buffer)
            return;
        long now = table.Clock.Now; // before the lock: the clock may be application code
        int peakCount = buffer.Count; // before the drain: EndDrain sizes the buffer by it
        if (!buffer.TryEnterDrain(waits))
            return;
        try
        {
            int refused = DrainAll(buffer, now, isClosing);
            if (refused != 0)
            {
                // In no critical region: a flush may complete pending frees. Then once more.
                table.Heap.Reclaim();
                refused = DrainAll(buffer, now, isClosing);
            }
            buffer.EndDrain(peakCount, isDeferred: refused != 0);
        }
        finally
        {
            buffer.ExitDrain();
        }
    }

    private void QueueDrain()
    {
        if (table.Liveness.Uses.ShouldDrain && table.Liveness.Uses.TryBeginQueued())
            table.Heap.Background.Queue($"the drain of the read buffer of the table '{table.Name}'", DrainQueued);
    }

    private void DrainQueued()
    {
        table.Liveness.Uses.EndQueued(); // first: a record that this drain misses may queue another
        try
        {
            Drain();
        }
        catch (ObjectDisposedException)
        {
            // the table is being closed, which drains the buffer or drops it
        }
    }

    // Returns how many renewals lacked space. After some, no more copies are tried: a buffered use counts anyway.
    private int DrainAll(ReadBuffer buffer, long now, bool isClosing)
    {
        int refused = 0;
        for (ReadBuffer.Set? set = buffer.Newest; set != null; set = set.Older)
        {
            for (int number = 0; number < set.Length; number++)
                DrainRecord(buffer, set, number, now, isClosing, ref refused);
        }
        return refused;
    }

    private void DrainRecord(
        ReadBuffer buffer, ReadBuffer.Set set, int number, long now, bool isClosing, ref int refused)
    {
        const int maxAttempts = 4; // an entry in constant use is left for the next drain
        for (int attempt = 0; attempt < maxAttempts && buffer.TryPeek(set, number, out ReadBuffer.Record record, out long time); attempt++)
        {
            if (!TryApply(record, ref time, now, isClosing, mayCopy: refused < MostRefused))
            {
                refused++;
                return;
            }
            // Applied first, cleared then: in between both count. A later use makes it fail, and is applied in its turn.
            if (buffer.TryClear(record, time))
                return;
        }
    }

    // If the record has changed meanwhile, it is not cleared, and is tried again.
    private bool TryApply(ReadBuffer.Record record, ref long time, long now, bool isClosing, bool mayCopy)
    {
        using ChangeScope scope = isClosing ? table.EnterWriterClosed() : table.EnterWriter();
        using LockedBucket bucket = table.Index.Lock(record.Hash);
        if (!table.Entries.TryFindLocked(bucket, record.Hash, record.Version, out LockedEntry entry))
            return true; // replaced, removed or evicted
        EntryState state = table.Liveness.Of(entry.Head, ref now);
        if (state.IsDead() && !table.Visibility.IsRebuilding) // else an older block of the key might come back
            table.Delete.DropLocked(scope.Critical, entry, state.Reason());
        else if (state == EntryState.Live && time > 0 && ReadBuffer.TryMarkAhead(record, ref time)) // the mark before the write
        {
            // A sixteenth of the sliding time ahead: an entry that is read all the time is written sixteen times per sliding time.
            return TryRenewLocked(
                scope.Critical, record.Hash, table.Clock.RenewalOf(entry.Head, time & ~ReadBuffer.Record.Ahead), entry, mayCopy);
        }
        else if (state == EntryState.Stale && ReadBuffer.Record.UseOf(time) != 0 && !table.Clock.HasSteps)
        {
            // It has ended, and its time as a stale one counts from there. With steps of the clock the instant could be read as a later
            // one.
            return TryRenewLocked(scope.Critical, record.Hash, table.Liveness.ExpiryOf(entry.Head), entry, mayCopy);
        }
        return true;
    }

    private bool TryRenewLocked(
        CriticalRegion critical, ulong hash, long expiresAt, in LockedEntry entry, bool mayCopy)
    {
        if (!entry.Head.IsSliding || expiresAt <= entry.Head.ExpiresAt)
            return true;
        if (table.Entries.CopiesToRenew)
            return mayCopy && TryCopyToRenewLocked(critical, hash, entry, expiresAt);
        // In place: one store, so a reader sees the old expiry or the new one.
        EntryHead.SetExpiry((byte*)entry.Head.Payload, expiresAt);
        return true;
    }

    // A mapped block is never changed in place: a kill or a power cut must find it whole, with the right checksum.
    private bool TryCopyToRenewLocked(
        CriticalRegion critical, ulong hash, in LockedEntry entry, long expiresAt)
    {
        if (table.Heap.HasChecksums && !table.Heap.MatchesChecksum(entry.Address, table.Heap.View(entry.Address)))
            return true; // damaged: a copy would get a valid checksum
        bool isEvictable = table.Limits.GivesWay && entry.Head.Priority != EntryPriority.NeverEvict;
        Slot copy = table.Heap.Take(critical, entry.PayloadBytes, isEvictable, out PileException? failure);
        if (failure is PileFullException)
        {
            _ = table.Heap.RequestsDiskSpace(failure); // the flush in Drain returns it
            return false;
        }
        if (failure != null)
            throw failure;
        Debug.Assert(copy.CapacityBytes >= entry.PayloadBytes && copy.Address != entry.Address, "The copy is a block of its own.");
        ulong address = entry.Address;
        byte* payload = copy.Start + BlockHeader.SizeBytes;
        Buffer.MemoryCopy(table.Heap.View(address).Payload, payload, entry.PayloadBytes, entry.PayloadBytes);
        EntryHead.SetExpiry(payload, expiresAt);
        if (Mutation.RenewedFreedFirst)
            table.Heap.Free(address);
        // No counter changes. From here on recovery keeps the block that the slot leads to, and frees the other.
        Intent* record = table.Intents.Begin(critical, copy.Address, address, entry.Head.Version, ownsNew: false, default);
        CrashPoints.Pass(CrashPoint.RenewalBeforePublish);
        // Two live blocks with one version, until the old one is freed. Either is right; without an index a walk keeps the first that it
        // finds.
        table.Heap.Publish(copy, entry.PayloadBytes);
        CrashPoints.Pass(CrashPoint.RenewalBeforeSwap);
        entry.Place.Store(new IndexSlot(hash, copy.Address)); // release, as in Upsert.Swap
        CrashPoints.Pass(CrashPoint.RenewalBeforeOldFreed);
        // The block alone: an object that the entry owns is the copy's now.
        if (!Mutation.RenewedFreedFirst)
            table.Heap.Free(address);
        table.Intents.End(record);
        return true;
    }
}
