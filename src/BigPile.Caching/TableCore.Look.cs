using System;
using System.Collections.Generic;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>Looking at entries rather than at values: what is known of them, leases, and enumeration.</summary>
internal sealed unsafe partial class TableCore
{
    /// <summary>What is known of an entry, copied.</summary>
    internal readonly record struct EntryCopy(
        byte[] Key, EntryInfo Info, ValueKind Kind, EntryPriority Priority, long ExpiresAt, long SlidingTicks, long SlidingEnd,
        ulong[] Tags)
    {
        /// <summary>Where a walk through the table comes by it.</summary>
        internal ulong Place { get; init; }

        /// <summary>How the entry would be put again.</summary>
        internal EntrySpec Spec =>
            new() { ExpiresAt = ExpiresAt, SlidingTicks = SlidingTicks, SlidingEnd = SlidingEnd, Priority = Priority, Tags = Tags };
    }

    /// <summary>Looks at an entry under its lock, and does not count that as a use.</summary>
    internal bool TryLook(in KeyProbe key, out EntryCopy copy)
    {
        copy = default;
        long now = _clock.BeforeLock;
        ThreadPresence presence = Enter();
        try
        {
            Bucket* bucket = _index.Lock(key.Hash, out _);
            try
            {
                if (!TryFindLocked(bucket, key, out _, out _, out EntryHead head, out long payloadBytes) || IsNoneLocked(head, ref now))
                    return false;
                copy = Copy(head, payloadBytes);
                return true;
            }
            finally
            {
                bucket->Unlock();
            }
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
        key.Matcher!.Learn();
        return TryLook(key, out copy);
    }

    /// <summary>Reads the pointer that an entry has for a value.</summary>
    internal bool TryReadPointer(in KeyProbe key, out PilePointer pointer, out ulong version)
    {
        pointer = default;
        version = 0;
        ThreadPresence presence = Enter();
        try
        {
            Bucket* bucket = _index.Lock(key.Hash, out _);
            try
            {
                if (TryFindLocked(bucket, key, out _, out _, out EntryHead head, out _) && IsShown(head))
                    (pointer, version) = (OwnedPointer(head), head.Version);
                return pointer.IsValid;
            }
            finally
            {
                bucket->Unlock();
            }
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
        key.Matcher!.Learn();
        return TryReadPointer(key, out pointer, out version);
    }

    /// <summary>Leases an entry's value where it lies.</summary>
    /// <param name="key">The key.</param>
    /// <param name="lease">The lease.</param>
    /// <param name="info">Version and size of the entry.</param>
    /// <param name="isUse">Whether that counts as a use of the entry.</param>
    internal bool TryLease(in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse = true)
    {
        lease = null;
        info = default;
        long now = _clock.BeforeLock;
        ThreadPresence presence = EnterToChange();
        try
        {
            Bucket* bucket = _index.Lock(key.Hash, out _);
            try
            {
                if (!TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead head, out long payloadBytes)
                    || IsNoneLocked(head, ref now))
                {
                    return false;
                }
                ulong address = Bucket.Load(line, slot).Address;
                if (_checksEveryRead)
                    _ = Pile.Entries.IsIntact(address, Pile.Entries.View(address));
                if (isUse && _countsUses)
                    line->CountUse(slot);
                if (head.Kind == ValueKind.Pointer)
                    return TryLeaseOwned(head, out lease, out info);
                info = head.Describe((int)(payloadBytes - head.ValueOffset));
                lease = Pile.Lessor.LeaseEntry(address, head.ValueOffset, info.ValueBytes, EntryHead.BlockKindOf(head.Kind));
                return true;
            }
            finally
            {
                bucket->Unlock();
            }
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
        key.Matcher!.Learn();
        return TryLease(key, out lease, out info, isUse);
    }

    /// <summary>Puts off the expiry of an entry as a use does.</summary>
    /// <returns>Whether the table has the key.</returns>
    internal bool Touch(in KeyProbe key)
    {
        var nothing = default(NothingReader);
        return TryReadAgain(key, ref nothing, out _);
    }

    /// <summary>Copies what is known of the entries of one bucket, from a place of the walk on.</summary>
    /// <param name="place">The place; from 0, and below <see cref="WalkPlace.End"/>.</param>
    /// <param name="found">Gets the entries, in no order.</param>
    /// <param name="isToShow">
    /// Whether what may not be shown yet is left out; not where only the kind of what a table holds is judged.
    /// </param>
    /// <returns>Where the walk goes on: the place behind the bucket.</returns>
    internal ulong CopyBucketAt(ulong place, List<EntryCopy> found, bool isToShow = true)
    {
        found.Clear();
        long now = _clock.Now;
        ThreadPresence presence = Enter();
        try
        {
            Bucket* bucket = _index.Lock(WalkPlace.HashAt(place), out ulong number);
            try
            {
                CopyBucketLocked(bucket, number, place, found, isToShow, ref now);
                return WalkPlace.EndOf(number, bucket->Level);
            }
            finally
            {
                bucket->Unlock();
            }
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
    }

    private void CopyBucketLocked(Bucket* bucket, ulong number, ulong from, List<EntryCopy> found, bool isToShow, ref long now)
    {
        for (Bucket* line = bucket; line != null; line = _index.Next(line))
        {
            for (int slot = 0; slot < Bucket.SlotCount; slot++)
            {
                IndexSlot value = Bucket.Load(line, slot);
                if (value.IsEmpty || !TryViewLocked(value, out EntryHead head, out long payloadBytes))
                    continue;
                if (isToShow ? IsNoneLocked(head, ref now) : IsGoneLocked(head, ref now))
                    continue;
                ulong place = WalkPlace.Of(value.KnownHash(number));
                if (place >= from)
                    found.Add(Copy(head, payloadBytes) with { Place = place });
            }
        }
    }

    private bool IsNoneLocked(in EntryHead head, ref long now) =>
        !IsShown(head) || IsGoneLocked(head, ref now);

    private bool IsGoneLocked(in EntryHead head, ref long now) => head.Kind is ValueKind.Tombstone || IsDead(head, ref now);

    private bool TryLeaseOwned(in EntryHead head, out PileLease? lease, out EntryInfo info)
    {
        bool found = Pile.TryLease(OwnedPointer(head), out lease);
        info = found ? head.Describe(lease!.Memory.Length) : default;
        return found;
    }

    private EntryCopy Copy(in EntryHead head, long payloadBytes)
    {
        var tags = new ulong[head.TagCount];
        for (int i = 0; i < tags.Length; i++)
            tags[i] = head.Tag(i);
        int valueBytes = (int)(payloadBytes - head.ValueOffset);
        if (head.Kind == ValueKind.Pointer)
            valueBytes = OwnedBytes(head);
        return new EntryCopy(
            new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray(), head.Describe(valueBytes), head.Kind, head.Priority,
            ExpiryOf(head), head.IsSliding ? head.SlidingTicks : 0, head.IsSliding ? SlidingEndOf(head) : ExpiryOf(head), tags);
    }

    private int OwnedBytes(in EntryHead head)
    {
        var size = default(SizeReader);
        return Pile.Reader.TryRead(OwnedPointer(head), ref size) ? (int)size.LengthBytes : 0;
    }
}
