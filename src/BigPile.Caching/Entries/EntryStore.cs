using System;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Tables;

namespace BigPile.Caching.Entries;

/// <summary>The blocks of one table's entries: finds, writes, counts and frees them.</summary>
/// <remarks>
/// Has no state of its own. Members whose name ends with Locked need the lock of the entry's bucket; all are called in a critical region.
/// </remarks>
/// <param name="heap">Has the blocks.</param>
/// <param name="tableId">The table's id, which every entry carries.</param>
/// <param name="keys">The key hash.</param>
/// <param name="copiesToRenew">
/// Whether a renewal writes a copy: a mapped block is never changed in place, so that a kill or a power cut finds it whole.
/// </param>
internal sealed unsafe class EntryStore(TableHeap heap, int tableId, KeyHash keys, bool copiesToRenew)
{
    /// <inheritdoc cref="EntryStore(TableHeap, int, KeyHash, bool)"/>
    internal bool CopiesToRenew => copiesToRenew;

    /// <summary>Reads the entry at an address.</summary>
    /// <returns><see langword="false"/> when there is none: the page was found damaged after the pile was opened.</returns>
    internal bool TryViewLocked(ulong address, out EntryHead head, out long payloadBytes)
    {
        BlockSnapshot view = heap.View(address);
        payloadBytes = view.IsNone ? 0 : view.PayloadBytes;
        bool isWhole = payloadBytes >= EntryHead.ShortBytes;
        head = isWhole ? new EntryHead(view.Payload) : default;
        return isWhole && head.TableId == tableId && head.FitsIn(payloadBytes);
    }

    /// <summary>
    /// Reads the entry of a slot without comparing a key. After a damaged page was dropped, the block may hold another entry; the hash tag
    /// tells.
    /// </summary>
    internal bool TryViewLocked(SlotPlace place, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        entry.Place = place;
        IndexSlot slot = place.Value;
        return TryViewLocked(slot.Address, out entry.Head, out entry.PayloadBytes)
            && (!copiesToRenew || slot.MayBe(keys.Of(new ReadOnlySpan<byte>(entry.Head.Key, entry.Head.KeyBytes))));
    }

    internal bool TryFindLocked(in LockedBucket bucket, in KeyProbe key, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        foreach (SlotPlace place in bucket.Matching(key.Hash))
        {
            // What a damaged slot leads to may be anything: table, length and key are compared.
            entry.Place = place;
            if (TryViewLocked(place.Value.Address, out entry.Head, out entry.PayloadBytes)
                && HasKey(entry.Head, entry.PayloadBytes, key))
                return true;
        }
        return false;
    }

    internal bool TryFindLocked(in LockedBucket bucket, ulong hash, ulong version, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        foreach (SlotPlace place in bucket.Matching(hash))
        {
            entry.Place = place;
            if (TryViewLocked(place.Value.Address, out entry.Head, out entry.PayloadBytes) && entry.Head.Version == version)
                return true;
        }
        return false;
    }

    /// <summary>Whether an entry has this key. The bytes may be changing: a lock-free read validates afterwards.</summary>
    internal static bool HasKey(in EntryHead head, long payloadBytes, in KeyProbe key)
    {
        if (!head.FitsIn(payloadBytes))
            return false;
        var stored = new ReadOnlySpan<byte>(head.Key, head.KeyBytes);
        return key.Matcher == null ? stored.SequenceEqual(key.Bytes) : key.Matcher.Matches(stored);
    }

    /// <summary>Whether a copied block is an entry of a key. Data from a file is not trusted.</summary>
    internal bool IsEntryOf(in KeyProbe key, ReadOnlySpan<byte> block)
    {
        if (block.Length < EntryHead.ShortBytes)
            return false;
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            return head.TableId == tableId && head.TagCount <= EntryHead.MaxTags && head.FitsIn(block.Length)
                && new ReadOnlySpan<byte>(head.Key, head.KeyBytes).SequenceEqual(key.Bytes);
        }
    }

    /// <summary>Writes an entry into a slot that was taken for it. Invisible, and without its version, until it is published.</summary>
    internal void Write(Slot slot, in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec)
    {
        // The slot's header still says free, so no reader, walk or recovery takes these bytes for an entry.
        byte* payload = slot.Start + BlockHeader.SizeBytes;
        int keyBytes = key.Bytes.Length;
        EntryHead.Write(payload, tableId, keyBytes, kind, spec);
        byte* at = payload + EntryHead.BytesFor(spec);
        key.Bytes.CopyTo(new Span<byte>(at, keyBytes));
        if (Mutation.HeaderFirst)
            heap.Publish(slot, at - payload + keyBytes + value.Length);
        CrashPoints.CopyHalf(value, at + keyBytes, CrashPoint.PutHalfOfPayload);
        value.CopyTo(new Span<byte>(at + keyBytes, value.Length));
    }

    /// <summary>Frees an entry's block and the object that it owns.</summary>
    internal void Free(ulong address, PilePointer owned) => Free(heap, address, owned);

    /// <inheritdoc cref="Free(ulong, PilePointer)"/>
    internal static void Free(TableHeap heap, ulong address, PilePointer owned)
    {
        if (Mutation.OwnedFreedLast)
            heap.Free(address);
        // The object first: a kill in between leaves an entry whose pointer is dead, which is dropped when it is met. The other order would
        // leak the object for good.
        if (owned.IsValid)
        {
            if (!Mutation.OwnedKept && !Mutation.OwnedFreedLast)
                _ = heap.TryDeleteObject(owned);
            CrashPoints.Pass(CrashPoint.OwnedBeforeEntryFreed);
            if (Mutation.OwnedFreedLast)
                _ = heap.TryDeleteObject(owned);
        }
        if (!Mutation.OwnedFreedLast)
            heap.Free(address);
    }

    /// <summary>What an entry adds to the counters.</summary>
    internal BlockCount CountOf(in LockedEntry entry) => entry.Head.Kind == ValueKind.Tombstone ? default : CountOf(entry.PayloadBytes);

    /// <summary>What an entry with this payload adds to the counters.</summary>
    internal BlockCount CountOf(long payloadBytes) => new(1, heap.FootprintBytesOf(payloadBytes), payloadBytes);

    /// <summary>The bytes of the object that goes with an entry; 0: none. The caller is in a critical region.</summary>
    /// <param name="head">The entry; where no lock is held, it may be changing.</param>
    /// <param name="payloadBytes">Head, key and value.</param>
    internal long OwnedBytesOf(in EntryHead head, long payloadBytes) =>
        head.Kind == ValueKind.Pointer && head.ValueOffset + sizeof(ulong) <= payloadBytes ? heap.FootprintBytesOf(head.Owned) : 0;

    /// <summary>Counts all entries, and clears slots that point to none. No thread is in the table.</summary>
    internal BlockCount CountAll(TableIndex index)
    {
        var count = default(BlockCount);
        for (ulong number = 0; number < index.BucketCount; number++)
        {
            using ReadScope scope = heap.EnterReader();
            foreach (SlotPlace place in index.SlotsOf(number))
            {
                if (TryViewLocked(place, out LockedEntry entry))
                    count += CountOf(entry);
                else
                    place.Store(default);
            }
        }
        return count;
    }

    /// <summary>Whether a pointer names a live object. A table entry does not count: it is never owned by another entry.</summary>
    internal bool IsLive(PilePointer pointer)
    {
        var size = default(SizeReader);
        return heap.TryRead(pointer, ref size) && size.Kind != BlockKind.TableEntry;
    }
}

/// <summary>An entry whose bucket is locked: its index slot and its block.</summary>
/// <remarks>Fill it in place, field by field. A copy right after partial writes stalls on store forwarding.</remarks>
internal struct LockedEntry
{
    internal SlotPlace Place; // where the index leads to it
    internal EntryHead Head; // read from the block; void once that is freed
    internal long PayloadBytes; // head, key and value

    internal readonly ulong Address => Place.Value.Address;

    /// <summary>The object that the entry owns; the invalid pointer when the value is inline.</summary>
    internal readonly PilePointer Owned => Head.Owned;
}
