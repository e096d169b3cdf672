using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>The search of a key in its bucket, where the fast path does not suffice.</summary>
internal readonly unsafe partial struct Lookup
{
    internal SearchOutcome Search<TReader>(
        in KeyProbe key, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps lines and blocks mapped.");
        info = default;
        ulong tag = IndexSlot.TagOf(key.Hash);
        Bucket* bucket = _table.Index.Find(key.Hash, out byte state); // acquire; it covers the hash, and is not splitting
        bool isAll = bucket->Next == 0; // acquire; only entries of overflow lines move within their bucket
        uint moves = isAll ? 0 : _table.Index.MovesIn(key.Hash, state); // acquire, before the slots
        int lines = 0; // bounded: a damaged chain may have a cycle
        for (Bucket* line = bucket; line != null; line = ++lines < TableIndex.MostLines ? _table.Index.Next(line) : null)
        {
            if (line->IsFree)
                break; // returned meanwhile: it leads to other free lines
            for (uint match = Bucket.Match(line, tag); match != 0; match &= match - 1)
            {
                var place = new SlotPlace(line, BitOperations.TrailingZeroCount(match));
                IndexSlot slot = place.Value; // acquire; pairs with Upsert.Swap
                if (!slot.MayBe(key.Hash))
                    continue; // changed since Match
                CrashPoints.Pass(CrashPoint.SearchBeforeBlock);
                BlockSnapshot view = _table.Heap.View(slot.Address); // header (acquire), then page info
                if (view.IsNone || view.PayloadBytes < EntryHead.ShortBytes)
                {
                    CrashPoints.Pass(CrashPoint.SearchAfterBlock);
                    if (LeadsNowhere(place, slot))
                        continue; // its page was found damaged after opening
                    return SearchOutcome.Again;
                }
                var head = new EntryHead(view.Payload);
                bool isKey = Mutation.KeyNotCompared
                    ? head.FitsIn(view.PayloadBytes)
                    : head.TableId == _table.Id && EntryStore.HasKey(head, view.PayloadBytes, key); // tags collide
                SearchOutcome outcome = isKey
                    ? ReadValue(head, view.PayloadBytes, ref reader, minVersion, ref now, out info)
                    : SearchOutcome.Miss; // another key, or an entry that is changing
                SlidingUse use = outcome == SearchOutcome.Hit && head.IsSliding ? new SlidingUse(_table.Clock, head) : default;
                // Without this a slow reader could return a value that is published in its block but not in the index yet, and the older
                // one after it.
                if (!place.IsStill(slot))
                    return SearchOutcome.Again;
                CrashPoints.Pass(CrashPoint.SearchBetweenRechecks);
                // The block may have been freed and reused. Checked on both sides of the slot, which has no generation: an entry may leave
                // a block and come back to it, and the slot looks the same.
                if (!view.Validate())
                    return SearchOutcome.Again;
                if (_table.Heap.ChecksEveryRead && !_table.Heap.IsIntact(slot.Address, view)) // throws for an unchanged block
                    return SearchOutcome.Again;
                if (!isKey)
                    continue;
                CrashPoints.Pass(CrashPoint.SearchBeforeRecordUse);
                // The block is the entry's. A use recorded after the entry has left its slot is lost, so the slot is checked once more.
                if (use.SlidingTicks != 0 && now >= use.ExpiresAt && !_table.Liveness.IsUsed(use, now))
                {
                    outcome = OutcomeOfOver(head, now, ref info);
                    if (!_table.Liveness.IsOver(head, now) || !place.IsStill(slot))
                        return SearchOutcome.Again; // the expiry was written just now
                }
                else if (use.SlidingTicks != 0)
                {
                    long expiresAt = _table.Touch.RecordUse(key.Hash, use);
                    if (expiresAt == 0 || !place.IsStill(slot))
                    {
                        now = 0; // the entry may have ended
                        return SearchOutcome.Again;
                    }
                    info = _table.Clock.Describe(use.Version, info.ValueBytes, expiresAt);
                }
                if (outcome == SearchOutcome.Dead)
                    _table.Touch.RecordEnd(key.Hash, head.Version);
                if (_table.CountsUses && outcome == SearchOutcome.Hit)
                    place.CountUse();
                // "Again" is a miss here: the object of a pointer was deleted by other code.
                return outcome == SearchOutcome.Again ? SearchOutcome.Miss : outcome;
            }
        }
        return IsUnmoved(bucket, state) && (isAll || moves == _table.Index.MovesIn(key.Hash, state))
            ? SearchOutcome.Miss
            : SearchOutcome.Again;
    }

    // Whether a slot points to no entry. A missing block alone proves nothing: the entry may have left it and come back. The slot must
    // point to the same state of the block before and after.
    private bool LeadsNowhere(SlotPlace place, IndexSlot slot)
    {
        BlockSnapshot block = _table.Heap.ViewAny(slot.Address);
        bool isEntry = !block.IsNone && TableHeap.IsEntry(block, slot.Address) && block.PayloadBytes >= EntryHead.ShortBytes;
        return !isEntry && place.IsStill(slot) && _table.Heap.Validate(block, slot.Address);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private SearchOutcome ReadValue<TReader>(
        in EntryHead head, long payloadBytes, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        EntryState state = _table.Liveness.ByBlock(head, ref now);
        if (!state.IsReadable(_readsStale) && !(state.IsOver() && head.IsSliding)) // a use may keep it alive
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
        bool isThere = _table.Heap.TryRead(pointer, ref measured);
        reader = measured.Inner;
        if (!isThere)
            return SearchOutcome.Again; // deleted by other code, or with its entry: the checks tell
        info = DescribeRead(head, measured.LengthBytes);
        return SearchOutcome.Hit;
    }

    // Of a sliding entry that no use keeps alive.
    private SearchOutcome OutcomeOfOver(in EntryHead head, long now, ref EntryInfo info)
    {
        bool isStale = _table.Liveness.ByBlock(head, ref now) == EntryState.Stale;
        info = isStale && _readsStale ? _table.Liveness.Describe(head, info.ValueBytes) : default;
        if (!isStale)
            return SearchOutcome.Dead;
        return _readsStale ? SearchOutcome.Hit : SearchOutcome.Miss;
    }

    // The expiry of a sliding entry is added once its use is recorded.
    private EntryInfo DescribeRead(in EntryHead head, long valueBytes) =>
        head.IsSliding ? new EntryInfo(head.Version, (int)valueBytes) : _table.Liveness.Describe(head, (int)valueBytes);
}
