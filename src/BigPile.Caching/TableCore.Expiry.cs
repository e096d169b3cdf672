using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Caching;

/// <summary>What is no more by time or tag, and how uses put that off.</summary>
internal sealed unsafe partial class TableCore
{
    private SpinGate _sweeping;
    private ulong _sweepAt;
    private ulong _sweepVersion;
    private bool _sweepsAll;
    private bool _hasMortals;
    private bool _hasPriorities;

    /// <summary>Whether entries may be there that are no more by time or tag.</summary>
    internal bool HasMortals => Volatile.Read(ref _hasMortals);

    /// <summary>States that entries may be there that are no more.</summary>
    internal void ExpectMortals() => Volatile.Write(ref _hasMortals, true);

    /// <summary>Looks at some buckets, where the last sweep ended, and frees what is no more. One sweep runs at a time.</summary>
    /// <param name="maxBuckets">How many to look at.</param>
    /// <param name="waits">Whether to wait for a sweep that runs; else nothing is looked at beside one.</param>
    /// <returns>How many entries were freed.</returns>
    internal int Sweep(int maxBuckets, bool waits = false)
    {
        if (!HasMortals || IsRebuilding)
            return 0;
        long now = _clock.Now;
        if (waits)
            _sweeping.Enter();
        else if (!_sweeping.TryEnter())
            return 0;
        try
        {
            int freed = 0;
            for (int i = 0; i < maxBuckets; i++)
                freed += SweepNext(now);
            return freed;
        }
        finally
        {
            _sweeping.Exit();
        }
    }

    /// <summary>The buckets that a sweep of everything looks at.</summary>
    internal int BucketsToSweep => (int)Math.Min(int.MaxValue, _index.BucketCount);

    private int SweepNext(long now)
    {
        int freed = SweepAt(_sweepAt, now);
        if (++_sweepAt < _index.BucketCount)
            return freed;
        _sweepAt = 0;
        Tags.DropUpTo(_sweepVersion, allOnly: false); // a call of its own: within another one it could not wait for a pause to end
        return freed;
    }

    private int SweepAt(ulong number, long now)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            if (number == 0)
                (_sweepVersion, _sweepsAll) = Tags.Described; // a mark that begins to count on the way was not looked for in all
            return _sweepsAll || MayHoldMortals(number) ? SweepBucket(presence, number, now) : 0;
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
    }

    private bool MayHoldMortals(ulong number)
    {
        for (Bucket* line = _index.At(number); line != null; line = _index.Next(line))
        {
            if (line->MayExpire)
                return true;
        }
        return false;
    }

    private int SweepBucket(ThreadPresence presence, ulong number, long now)
    {
        int freed = 0;
        Bucket* bucket = _index.LockBucket(number);
        try
        {
            for (Bucket* line = bucket; line != null; line = _index.Next(line))
            {
                if (_sweepsAll || line->MayExpire)
                    freed += SweepLineLocked(presence, line, now);
            }
            return freed;
        }
        finally
        {
            bucket->Unlock();
        }
    }

    private int SweepLineLocked(ThreadPresence presence, Bucket* line, long now)
    {
        int freed = 0;
        bool isAnyLeft = false;
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
        {
            IndexSlot value = Bucket.Load(line, slot);
            if (value.IsEmpty || !TryViewSlotLocked(value, out EntryHead head, out long payloadBytes))
                continue;
            if (IsDead(head, ref now))
            {
                DropLocked(presence, line, slot, head, payloadBytes, ReasonOf(head));
                freed++;
            }
            else
            {
                isAnyLeft |= head.MayBeDead;
            }
        }
        if (!isAnyLeft)
            line->ClearExpiry();
        return freed;
    }

    // The instant that an entry states, as the cache's time has it by now. That of a sliding one was written down at its last use.
    private long ExpiryOf(in EntryHead head)
    {
        long stated = head.ExpiresAt;
        if (stated == long.MaxValue || !_clock.HasSteps)
            return stated;
        return Add(stated, head.IsSliding ? _clock.StepsSince(stated - head.SlidingTicks) : _clock.StepsSince(head.Version));
    }

    private long SlidingEndOf(in EntryHead head) =>
        head.SlidingEnd == long.MaxValue ? long.MaxValue : Add(head.SlidingEnd, _clock.StepsSince(head.Version));

    /// <summary>Why an entry is no more.</summary>
    private Counter ReasonOf(in EntryHead head) =>
        head.Version <= Tags.ClearedUpTo || (head.HasTags && Tags.IsMarked(head)) ? Counter.Removals : Counter.Expirations;

    /// <summary>Puts off the expiry of a sliding entry that was just used.</summary>
    private void Renew(ThreadPresence presence, in KeyProbe key, long now)
    {
        if (now == 0)
            now = _clock.Now;
        Bucket* bucket = _index.Lock(key.Hash, out _);
        try
        {
            if (!TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead head, out long payloadBytes) || !head.IsSliding)
                return;
            long expiresAt = Math.Min(SlidingEndOf(head), Add(now, head.SlidingTicks));
            if (expiresAt <= head.ExpiresAt || IsDead(head, ref now))
                return;
            ulong address = Bucket.Load(line, slot).Address;
            if (_copiesToRenew)
                CopyToRenewLocked(presence, key, line, slot, address, payloadBytes, expiresAt);
            else
                EntryHead.SetExpiry(Pile.Entries.View(address).Payload, expiresAt);
        }
        finally
        {
            bucket->Unlock();
        }
    }

    // A mapped block is never changed where it lies: a kill or a power cut must find it whole, and its checksum right.
    private void CopyToRenewLocked(
        ThreadPresence presence, in KeyProbe key, Bucket* line, int slot, ulong address, long payloadBytes, long expiresAt)
    {
        Slot copy;
        try
        {
            copy = Pile.Entries.Take(payloadBytes);
        }
        catch (PileFullException)
        {
            presence.WantsRoom = Pile.Space.Room.CanMakeRoom(presence, flushes: 0); // else the entry expires as if it had not been used
            return;
        }
        byte* payload = copy.Start + BlockHeader.SizeBytes;
        Buffer.MemoryCopy(Pile.Entries.View(address).Payload, payload, payloadBytes, payloadBytes);
        EntryHead.SetExpiry(payload, expiresAt);
        if (Fault.RenewedFreedFirst)
            Pile.Entries.Free(address);
        KillPoint.Pass(KillWindow.RenewalBeforePublish);
        Pile.Entries.Publish(copy, payloadBytes);
        KillPoint.Pass(KillWindow.RenewalBeforeSwing);
        Bucket.Store(line, slot, new IndexSlot(key.Hash, copy.Address));
        KillPoint.Pass(KillWindow.RenewalBeforeOldFreed);
        if (!Fault.RenewedFreedFirst)
            Pile.Entries.Free(address);
    }

    /// <summary>
    /// Tries once more to put off an expiry, after a flush. The caller has left the pile, and found no room for it inside.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RenewWithRoom(in KeyProbe key)
    {
        _ = Pile.Space.Room.MakeRoom(flushes: 0);
        ThreadPresence presence = EnterToChange();
        try
        {
            Renew(presence, key, _clock.Now);
        }
        catch (KeyNotComparedException)
        {
            // another entry has come into the bucket: this one expires as if it had not been used
        }
        finally
        {
            presence.WantsRoom = false;
            Pile.Space.Exit(presence);
        }
    }

    /// <summary>An instant after another one, or the last there is.</summary>
    internal static long Add(long instant, long ticks) =>
        instant > DateTime.MaxValue.Ticks - ticks ? DateTime.MaxValue.Ticks : instant + ticks;
}
