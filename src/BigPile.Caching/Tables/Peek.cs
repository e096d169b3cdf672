using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Readers;

namespace BigPile.Caching.Tables;

/// <summary>Reads entries without their values: metadata, an owned pointer, all entries of a bucket.</summary>
internal readonly struct Peek(TableEngine table)
{
    /// <summary>Copies an entry's metadata under the bucket's lock. No use is counted.</summary>
    internal bool TryPeek(in KeyProbe key, out EntryCopy copy, bool readsStale = false) =>
        TryPeekInMemory(key, out copy, readsStale) || (table.Disk is { } disk && TryPeekSpilled(disk, key, out copy, readsStale));

    private bool TryPeekInMemory(in KeyProbe key, out EntryCopy copy, bool readsStale)
    {
        copy = default;
        long now = table.Clock.BeforeLock; // 0 with the system's clock, which is read when needed
        using (ReadScope scope = table.EnterReader())
        {
            try
            {
                using LockedBucket bucket = table.Index.Lock(key.Hash);
                if (!table.Entries.TryFindLocked(bucket, key, out LockedEntry entry)
                    || table.Liveness.IsNoneLocked(entry.Head, ref now, readsStale))
                    return false;
                copy = Copy(entry.Head, entry.PayloadBytes);
                return true;
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        // After the region, with no lock held: the comparer is application code.
        key.Matcher!.Learn();
        return TryPeekInMemory(key, out copy, readsStale);
    }

    // The entry stays in the file: a peek is no use.
    private unsafe bool TryPeekSpilled(DiskTier disk, in KeyProbe key, out EntryCopy copy, bool readsStale)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        lock (disk.LockOf(key))
        {
            // Again, as a promotion may have moved it. An eviction in between takes no stripe lock, and leaves it pending, where the
            // next line finds it.
            if (TryPeekInMemory(key, out copy, readsStale))
                return true;
            if (!disk.TryReadAliveStripeLocked(key, block, readsStale))
                return false;
        }
        fixed (byte* payload = block.WrittenSpan)
            copy = Copy(new EntryHead(payload), block.LengthBytes);
        return true;
    }

    /// <summary>Copies the value of an entry, if it has a version. No use is counted.</summary>
    internal bool TryCopyValue(in KeyProbe key, ulong version, PileBuffer into, out ValueKind kind)
    {
        if (TryCopyValueInMemory(key, version, into, out kind))
            return true;
        if (table.Disk is not { } disk)
            return false;
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        lock (disk.LockOf(key))
        {
            if (TryCopyValueInMemory(key, version, into, out kind))
                return true;
            return disk.TryReadAliveStripeLocked(key, block) && TryCopyValue(block.WrittenSpan, version, into, out kind);
        }
    }

    private unsafe bool TryCopyValue(ReadOnlySpan<byte> block, ulong version, PileBuffer into, out ValueKind kind)
    {
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            kind = head.Kind;
            if (head.Version == version)
                into.Write(block[head.ValueOffset..]);
            return head.Version == version;
        }
    }

    // Copies an inline value, or gives the object that the entry owns; kind Tombstone: there is no such entry.
    private unsafe bool TryFindValue(
        in KeyProbe key, ulong version, ref long now, PileBuffer into, out ValueKind kind, out PilePointer owned)
    {
        (kind, owned) = (ValueKind.Tombstone, default);
        using LockedBucket bucket = table.Index.Lock(key.Hash);
        if (!table.Entries.TryFindLocked(bucket, key, out LockedEntry entry) || entry.Head.Version != version
            || table.Liveness.IsNoneLocked(entry.Head, ref now))
            return false;
        owned = entry.Owned;
        return owned.IsValid
            || TryCopyValue(new ReadOnlySpan<byte>((byte*)entry.Head.Payload, (int)entry.PayloadBytes), version, into, out kind);
    }

    private bool TryCopyValueInMemory(in KeyProbe key, ulong version, PileBuffer into, out ValueKind kind)
    {
        kind = default;
        long now = table.Clock.BeforeLock;
        using (ReadScope scope = table.EnterReader())
        {
            try
            {
                if (!TryFindValue(key, version, ref now, into, out kind, out PilePointer owned) || !owned.IsValid)
                    return kind != ValueKind.Tombstone;
                var reader = new CopyReader(into);
                bool found = table.Heap.TryRead(owned, ref reader);
                kind = reader.Kind;
                return found;
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        return TryCopyValueInMemory(key, version, into, out kind);
    }

    /// <summary>Reads the pointer of an entry whose value is an object.</summary>
    internal bool TryReadPointer(in KeyProbe key, out PilePointer pointer, out ulong version)
    {
        pointer = default;
        version = 0;
        using (ReadScope scope = table.EnterReader())
        {
            try
            {
                using LockedBucket bucket = table.Index.Lock(key.Hash);
                if (table.Entries.TryFindLocked(bucket, key, out LockedEntry entry) && table.Visibility.Shows(entry.Head.Version))
                    (pointer, version) = (entry.Owned, entry.Head.Version); // invalid for an inline value
                return pointer.IsValid;
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        return TryReadPointer(key, out pointer, out version);
    }

    /// <summary>Copies the metadata of the entries of one bucket, from a position of the walk on.</summary>
    /// <param name="place">The position; from 0, below <see cref="WalkPlace.End"/>.</param>
    /// <param name="found">Receives the entries, in no order.</param>
    /// <param name="onlyVisible">
    /// Whether entries below the visibility floor are skipped; false where only the kind of a table's values matters.
    /// </param>
    /// <returns>The position behind the bucket, where the walk continues.</returns>
    internal unsafe ulong CopyBucketAt(ulong place, List<EntryCopy> found, bool onlyVisible = true)
    {
        found.Clear();
        long now = table.Clock.Now;
        using ReadScope scope = table.EnterReader();
        // The bucket that has the position now, however often its former one was split since the last call.
        using LockedBucket bucket = table.Index.Lock(WalkPlace.HashAt(place));
        CopyBucketLocked(bucket, place, found, onlyVisible, ref now);
        ulong end = WalkPlace.EndOf(bucket.Number, bucket.First->Level);
        Debug.Assert(end > place && end <= WalkPlace.End, "Each bucket advances the walk, at most to its end.");
        return end;
    }

    private void CopyBucketLocked(
        in LockedBucket bucket, ulong from, List<EntryCopy> found, bool onlyVisible, ref long now)
    {
        foreach (SlotPlace slot in bucket.Slots)
        {
            if (!table.Entries.TryViewLocked(slot.Value.Address, out EntryHead head, out long payloadBytes))
                continue;
            if (onlyVisible ? table.Liveness.IsNoneLocked(head, ref now) : table.Liveness.Of(head, ref now) != EntryState.Live)
                continue;
            ulong place = WalkPlace.Of(slot.Value.KnownHash(bucket.Number));
            if (place >= from) // a position from a client may lie within a bucket
                found.Add(Copy(head, payloadBytes) with { Place = place });
        }
    }

    private unsafe EntryCopy Copy(in EntryHead head, long payloadBytes)
    {
        var tags = new ulong[head.TagCount];
        for (int i = 0; i < tags.Length; i++)
            tags[i] = head.Tag(i);
        int valueBytes = head.Kind == ValueKind.Pointer ? OwnedBytes(head) : (int)(payloadBytes - head.ValueOffset);
        return new EntryCopy(
            new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray(), table.Liveness.Describe(head, valueBytes), head.Kind, head.Priority,
            table.Liveness.ExpiryOf(head), head.IsSliding ? head.SlidingTicks : 0,
            head.IsSliding ? table.Clock.SlidingEndOf(head) : table.Clock.ExpiryOf(head), head.FailSafeTicks, tags);
    }

    private int OwnedBytes(in EntryHead head)
    {
        var size = default(SizeReader);
        return table.Heap.TryRead(head.Owned, ref size) ? (int)size.LengthBytes : 0;
    }
}
