using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Reads entries without their values: metadata, an owned pointer, all entries of a bucket.</summary>
internal static class Peeking
{
    /// <summary>Copies an entry's metadata under the bucket's lock. No use is counted.</summary>
    internal static bool TryPeek(this TableCore core, in KeyProbe key, out EntryCopy copy) =>
        core.TryPeekInMemory(key, out copy) || (core.Spill is { } spill && core.TryPeekSpilled(spill, key, out copy));

    private static bool TryPeekInMemory(this TableCore core, in KeyProbe key, out EntryCopy copy)
    {
        copy = default;
        long now = core.Clock.BeforeLock; // 0 with the system's clock, which is read when needed
        using (ReadScope scope = core.EnterReader())
        {
            try
            {
                using LockedBucket bucket = core.Index.Lock(key.Hash);
                if (!core.TryFindLocked(bucket, key, out LockedEntry entry) || core.IsNoneLocked(entry.Head, ref now))
                    return false;
                copy = core.Copy(entry.Head, entry.PayloadBytes);
                return true;
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        // After the region, with no lock held: the comparer is application code.
        key.Matcher!.Learn();
        return core.TryPeekInMemory(key, out copy);
    }

    // The entry stays in the file: a peek is no use.
    private static unsafe bool TryPeekSpilled(this TableCore core, SpillStore spill, in KeyProbe key, out EntryCopy copy)
    {
        PileBuffer block = BufferRental.Rent();
        try
        {
            lock (spill.StripeOf(key.Hash).Lock)
            {
                // Again, as a promotion may have moved it. An eviction in between takes no stripe lock, and leaves it pending, where the
                // next line finds it.
                if (core.TryPeekInMemory(key, out copy))
                    return true;
                if (!core.TryReadAliveStripeLocked(spill, key, block))
                    return false;
            }
            fixed (byte* payload = block.WrittenSpan)
                copy = core.Copy(new EntryHead(payload), block.LengthBytes);
            return true;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    /// <summary>Reads the pointer of an entry whose value is an object.</summary>
    internal static bool TryReadPointer(this TableCore core, in KeyProbe key, out PilePointer pointer, out ulong version)
    {
        pointer = default;
        version = 0;
        using (ReadScope scope = core.EnterReader())
        {
            try
            {
                using LockedBucket bucket = core.Index.Lock(key.Hash);
                if (core.TryFindLocked(bucket, key, out LockedEntry entry) && core.IsVisible(entry.Head))
                    (pointer, version) = (entry.Owned, entry.Head.Version); // invalid for an inline value
                return pointer.IsValid;
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        return core.TryReadPointer(key, out pointer, out version);
    }

    /// <summary>Copies the metadata of the entries of one bucket, from a position of the walk on.</summary>
    /// <param name="core">The table.</param>
    /// <param name="place">The position; from 0, below <see cref="WalkPlace.End"/>.</param>
    /// <param name="found">Receives the entries, in no order.</param>
    /// <param name="onlyVisible">
    /// Whether entries below the visibility floor are skipped; false where only the kind of a table's values matters.
    /// </param>
    /// <returns>The position behind the bucket, where the walk continues.</returns>
    internal static unsafe ulong CopyBucketAt(this TableCore core, ulong place, List<EntryCopy> found, bool onlyVisible = true)
    {
        found.Clear();
        long now = core.Clock.Now;
        using ReadScope scope = core.EnterReader();
        // The bucket that has the position now, however often its former one was split since the last call.
        using LockedBucket bucket = core.Index.Lock(WalkPlace.HashAt(place));
        core.CopyBucketLocked(bucket, place, found, onlyVisible, ref now);
        ulong end = WalkPlace.EndOf(bucket.Number, bucket.First->Level);
        Debug.Assert(end > place && end <= WalkPlace.End, "Each bucket advances the walk, at most to its end.");
        return end;
    }

    private static void CopyBucketLocked(
        this TableCore core, in LockedBucket bucket, ulong from, List<EntryCopy> found, bool onlyVisible, ref long now)
    {
        foreach (SlotPlace slot in bucket.Slots)
        {
            var entry = new LockedEntry { Place = slot };
            if (!core.TryViewLocked(slot.Value.Address, out entry.Head, out entry.PayloadBytes))
                continue;
            if (onlyVisible ? core.IsNoneLocked(entry.Head, ref now) : core.LivenessOf(entry.Head, ref now) != Liveness.Live)
                continue;
            ulong place = WalkPlace.Of(slot.Value.KnownHash(bucket.Number));
            if (place >= from) // a position from a client may lie within a bucket
                found.Add(core.Copy(entry.Head, entry.PayloadBytes) with { Place = place });
        }
    }

    private static unsafe EntryCopy Copy(this TableCore core, in EntryHead head, long payloadBytes)
    {
        var tags = new ulong[head.TagCount];
        for (int i = 0; i < tags.Length; i++)
            tags[i] = head.Tag(i);
        int valueBytes = head.Kind == ValueKind.Pointer ? core.OwnedBytes(head) : (int)(payloadBytes - head.ValueOffset);
        return new EntryCopy(
            new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray(), core.Describe(head, valueBytes), head.Kind, head.Priority,
            core.ExpiryOf(head), head.IsSliding ? head.SlidingTicks : 0,
            head.IsSliding ? core.Clock.SlidingEndOf(head) : core.Clock.ExpiryOf(head), tags);
    }

    private static int OwnedBytes(this TableCore core, in EntryHead head)
    {
        var size = default(SizeReader);
        return core.Pile.Reader.TryRead(head.Owned, ref size) ? (int)size.LengthBytes : 0;
    }
}
