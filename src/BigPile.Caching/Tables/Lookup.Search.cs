using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Caching.Readers;
using BigPile.Caching.Recovery;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Caching.Typed;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>Finds an entry without a lock: the full path, for any line of the bucket and any kind of entry.</summary>
/// <remarks>
/// Takes no lock: what was read counts once all checks have passed; where one fails, the search starts over. A miss counts if no split
/// moved entries of the bucket meanwhile.
/// </remarks>
internal sealed unsafe partial class Lookup
{
    internal SearchOutcome Search<TReader>(
        in KeyProbe key, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps lines and blocks mapped.");
        info = default;
        ulong tag = IndexSlot.TagOf(key.Hash);
        Bucket* bucket = table.Index.Find(key.Hash, out byte state); // acquire; it covers the hash, and is not splitting
        int lines = 0; // bounded: a damaged chain may have a cycle
        for (Bucket* line = bucket; line != null; line = ++lines < TableIndex.MostLines ? table.Index.Next(line) : null)
        {
            for (uint match = Bucket.Match(line, tag); match != 0; match &= match - 1)
            {
                int place = BitOperations.TrailingZeroCount(match);
                IndexSlot slot = Bucket.Load(line, place); // acquire; pairs with PublishLocked
                if (!slot.MayBe(key.Hash))
                    continue; // changed since Match
                CrashPoints.Pass(CrashPoint.SearchBeforeBlock);
                BlockSnapshot view = table.Heap.View(slot.Address); // header (acquire), then page info
                if (view.IsNone || view.PayloadBytes < EntryHead.ShortBytes)
                {
                    CrashPoints.Pass(CrashPoint.SearchAfterBlock);
                    if (LeadsNowhere(line, place, slot))
                        continue; // its page was found damaged after opening
                    return SearchOutcome.Again;
                }
                var head = new EntryHead(view.Payload);
                bool isKey = Mutation.KeyNotCompared
                    ? head.FitsIn(view.PayloadBytes)
                    : head.TableId == table.Id && EntryStore.HasKey(head, view.PayloadBytes, key); // tags collide
                SearchOutcome outcome = isKey
                    ? ReadValue(head, view.PayloadBytes, ref reader, minVersion, ref now, out info)
                    : SearchOutcome.Miss; // another key, or an entry that is changing
                SlidingUse use = outcome == SearchOutcome.Hit && head.IsSliding ? new SlidingUse(table.Clock, head) : default;
                // Without this a slow reader could return a value that is published in its block but not in the index yet, and the older
                // one after it.
                if (!IsStillLoaded(line, place, slot))
                    return SearchOutcome.Again;
                CrashPoints.Pass(CrashPoint.SearchBetweenRechecks);
                // The block may have been freed and reused. Checked on both sides of the slot, which has no generation: an entry may leave
                // a block and come back to it, and the slot looks the same.
                if (!view.Validate())
                    return SearchOutcome.Again;
                if (table.Heap.ChecksEveryRead && !table.Heap.IsIntact(slot.Address, view)) // throws for an unchanged block
                    return SearchOutcome.Again;
                if (!isKey)
                    continue;
                CrashPoints.Pass(CrashPoint.SearchBeforeRecordUse);
                // The block is the entry's. A use recorded after the entry has left its slot is lost, so the slot is checked once more.
                if (use.SlidingTicks != 0 && now >= use.ExpiresAt && !table.Liveness.IsUsed(use, now))
                {
                    if (!table.Liveness.IsOver(head, now) || !IsStillLoaded(line, place, slot))
                        return SearchOutcome.Again; // the expiry was written just now
                    outcome = SearchOutcome.Dead;
                    info = default;
                }
                else if (use.SlidingTicks != 0)
                {
                    long expiresAt = table.Touch.RecordUse(key.Hash, use);
                    if (expiresAt == 0 || !IsStillLoaded(line, place, slot))
                    {
                        now = 0; // the entry may have ended
                        return SearchOutcome.Again;
                    }
                    info = table.Clock.Describe(use.Version, info.ValueBytes, expiresAt);
                }
                if (outcome == SearchOutcome.Dead)
                    table.Touch.RecordEnd(key.Hash, head.Version);
                if (table.CountsUses && outcome == SearchOutcome.Hit)
                    line->CountUse(place);
                // "Again" is a miss here: the object of a pointer was deleted by other code.
                return outcome == SearchOutcome.Again ? SearchOutcome.Miss : outcome;
            }
        }
        Volatile.ReadBarrier(); // pairs with the barrier of Bucket.BeginMoveLocked
        return state == bucket->State || Mutation.BucketStateNotLoadedAgain ? SearchOutcome.Miss : SearchOutcome.Again;
    }

    // Whether a slot points to no entry. A missing block alone proves nothing: the entry may have left it and come back. The slot must
    // point to the same state of the block before and after.
    private bool LeadsNowhere(Bucket* line, int place, IndexSlot slot)
    {
        BlockSnapshot block = table.Heap.ViewAny(slot.Address);
        bool isEntry = !block.IsNone && TableHeap.IsEntry(block, slot.Address) && block.PayloadBytes >= EntryHead.ShortBytes;
        return !isEntry && IsStillLoaded(line, place, slot) && table.Heap.Validate(block, slot.Address);
    }

    private static bool IsStillLoaded(Bucket* line, int place, IndexSlot slot) => IsStillLoaded(Bucket.SlotAt(line, place), slot);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsStillLoaded(ulong* slotAt, IndexSlot slot)
    {
        if (Mutation.IndexSlotNotLoadedAgain)
            return true;
        Volatile.ReadBarrier(); // after all reads of the block; pairs with the slot's store in IndexSwap.PublishLocked
        return Volatile.Read(ref *slotAt) == slot.Word;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private SearchOutcome ReadValue<TReader>(
        in EntryHead head, long payloadBytes, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        EntryState state = table.Liveness.ByBlock(head, ref now);
        if (state != EntryState.Live && !(state == EntryState.Expired && head.IsSliding)) // a use may keep it alive
            return state.IsDead() ? SearchOutcome.Dead : SearchOutcome.Miss;
        // An entry below the visibility floor, or one that is too old for the caller.
        if (head.Version < minVersion)
            return SearchOutcome.Miss;
        if (head.Kind >= ValueKind.Pointer && head.Kind <= ValueKind.TagMark)
            return ReadSpecial(head, payloadBytes, ref reader, out info);
        long valueBytes = payloadBytes - head.ValueOffset;
        reader.Read(head.Key + head.KeyBytes, valueBytes, EntryHead.BlockKindOf(head.Kind));
        info = DescribeRead(head, valueBytes);
        return SearchOutcome.Hit;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private SearchOutcome ReadSpecial<TReader>(
        in EntryHead head, long payloadBytes, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        // A tombstone; else bytes that are just changing, which the checks find.
        if (head.Kind != ValueKind.Pointer || payloadBytes - head.ValueOffset != sizeof(ulong))
            return SearchOutcome.Miss;
        var pointer = PilePointer.FromUInt64(*(ulong*)(head.Key + head.KeyBytes));
        var measured = new MeasuredReader<TReader>(reader);
        bool isThere = table.Heap.TryRead(pointer, ref measured);
        reader = measured.Inner;
        if (!isThere)
            return SearchOutcome.Again; // deleted by other code, or with its entry: the checks tell
        info = DescribeRead(head, measured.LengthBytes);
        return SearchOutcome.Hit;
    }

    // The expiry of a sliding entry is added once its use is recorded.
    private EntryInfo DescribeRead(in EntryHead head, long valueBytes) =>
        head.IsSliding ? new EntryInfo(head.Version, (int)valueBytes) : table.Liveness.Describe(head, (int)valueBytes);
}
