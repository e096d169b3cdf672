using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;
using BigPile.Reporting;

namespace BigPile.Caching;

/// <summary>Removing.</summary>
internal sealed unsafe partial class TableCore
{
    /// <summary>Removes a key.</summary>
    /// <returns>Whether it was there.</returns>
    internal bool Remove(in KeyProbe key, Condition condition)
    {
        if (IsRebuilding)
            return Bury(key, condition);
        ThreadPresence presence = EnterToChange();
        try
        {
            return RemoveInside(presence, key, condition);
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
        key.Matcher!.Learn();
        return Remove(key, condition);
    }

    private bool RemoveInside(ThreadPresence presence, in KeyProbe key, Condition condition)
    {
        long now = _clock.BeforeLock;
        Bucket* bucket = _index.Lock(key.Hash, out _);
        try
        {
            if (condition.IsAny)
                TellFlightsLocked(IndexSlot.TagOf(key.Hash), ulong.MaxValue);
            if (!TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead head, out long payloadBytes))
                return false;
            bool isDead = head.Kind == ValueKind.Tombstone || IsDead(head, ref now);
            if (!isDead && !IsMetLocked(condition, key.Hash, head.Version, isNone: false))
                return false;
            DropLocked(presence, line, slot, head, payloadBytes, isDead ? ReasonOf(head) : Counter.Removals);
            return !isDead;
        }
        finally
        {
            bucket->Unlock();
        }
    }

    /// <summary>
    /// Puts a mark in the place of a key while older blocks of it may still turn up, so that none of them comes back; not even when the
    /// process is killed now and the next one finds them.
    /// </summary>
    private bool Bury(in KeyProbe key, Condition condition)
    {
        try
        {
            Volatile.Write(ref _hasTombstones, true);
            bool wasThere = Put(key, default, ValueKind.Tombstone, EntrySpec.Plain, condition, out _) == PutResult.Replaced;
            if (!IsRebuilding)
                DropTombstone(key); // the walk for marks may have come by before this one was put
            return wasThere;
        }
        catch (PileFullException)
        {
            if (!IsRebuiltSoon())
                throw;
            return Remove(key, condition); // no mark is needed any more
        }
    }

    private bool IsRebuiltSoon()
    {
        const int LookMs = 20;
        while (!Readiness.Completion.Wait(LookMs))
        {
            if (Readiness.Failure != null)
                return false;
        }
        return true;
    }

    private void DropTombstone(in KeyProbe key)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            Bucket* bucket = _index.Lock(key.Hash, out _);
            try
            {
                if (TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead head, out long payloadBytes)
                    && head.Kind == ValueKind.Tombstone)
                {
                    DropLocked(presence, line, slot, head, payloadBytes, Counter.Removals);
                }
            }
            finally
            {
                bucket->Unlock();
            }
            return;
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
        key.Matcher!.Learn();
        DropTombstone(key);
    }

    /// <summary>The buckets that a removal of everything goes through.</summary>
    internal long BucketCount => (long)_index.BucketCount;

    /// <summary>Removes all entries that were put before.</summary>
    /// <param name="gauge">Counts the buckets.</param>
    internal void Clear(ProgressGauge gauge)
    {
        ulong version = Fault.ClearUnmarked ? Pile.Versions.Last : Tags.MarkAll();
        for (ulong number = 0; number < _index.BucketCount; number++) // entries move to higher buckets only
        {
            KillPoint.Pass(KillWindow.ClearBeforeDropped);
            DropUpTo(number, version);
            gauge.Advance(1);
        }
        KillPoint.Pass(KillWindow.ClearBeforeMarkFreed);
        if (!IsRebuilding)
            Tags.DropUpTo(version, allOnly: true);
    }

    private void DropUpTo(ulong number, ulong version)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            Bucket* bucket = _index.LockBucket(number);
            try
            {
                for (Bucket* line = bucket; line != null; line = _index.Next(line))
                    DropUpToLocked(presence, line, version);
            }
            finally
            {
                bucket->Unlock();
            }
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
    }

    private void DropUpToLocked(ThreadPresence presence, Bucket* line, ulong version)
    {
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
        {
            IndexSlot value = Bucket.Load(line, slot);
            if (!value.IsEmpty && TryViewSlotLocked(value, out EntryHead head, out long payloadBytes) && head.Version <= version)
                DropLocked(presence, line, slot, head, payloadBytes, Counter.Removals);
        }
    }

    /// <summary>Takes out an entry that a read found to be no more.</summary>
    private void DropIfDead(ThreadPresence presence, in KeyProbe key, long now)
    {
        if (IsRebuilding)
            return; // an older block of the key might turn up
        Bucket* bucket = _index.Lock(key.Hash, out _);
        try
        {
            if (TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead head, out long payloadBytes)
                && IsDead(head, ref now))
                DropLocked(presence, line, slot, head, payloadBytes, ReasonOf(head));
        }
        finally
        {
            bucket->Unlock();
        }
    }
}
