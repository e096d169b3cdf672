using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;
using BigPile.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Finds an entry without a lock: the full path, for any line of the bucket and any kind of entry.</summary>
/// <remarks>
/// Takes no lock: what was read counts once all checks have passed; where one fails, the search starts over. A miss counts if no split
/// moved entries of the bucket meanwhile.
/// </remarks>
internal static unsafe class Searching
{
    internal static SearchOutcome Search<TReader>(
        this TableCore core, in KeyProbe key, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps lines and blocks mapped.");
        info = default;
        ulong tag = IndexSlot.TagOf(key.Hash);
        Bucket* bucket = core.Index.Find(key.Hash, out byte state); // acquire; it covers the hash, and is not splitting
        int lines = 0; // bounded: a damaged chain may have a cycle
        for (Bucket* line = bucket; line != null; line = ++lines < TableIndex.MostLines ? core.Index.Next(line) : null)
        {
            for (uint match = Bucket.Match(line, tag); match != 0; match &= match - 1)
            {
                int place = BitOperations.TrailingZeroCount(match);
                IndexSlot slot = Bucket.Load(line, place); // acquire; pairs with PublishLocked
                if (!slot.MayBe(key.Hash))
                    continue; // changed since Match
                CrashPoints.Pass(CrashPoint.SearchBeforeBlock);
                BlockSnapshot view = core.Pile.Entries.View(slot.Address); // header (acquire), then page info
                if (view.IsNone || view.PayloadBytes < EntryHead.ShortBytes)
                {
                    CrashPoints.Pass(CrashPoint.SearchAfterBlock);
                    if (core.LeadsNowhere(line, place, slot))
                        continue; // its page was found damaged after opening
                    return SearchOutcome.Again;
                }
                var head = new EntryHead(view.Payload);
                bool isKey = Mutation.KeyNotCompared
                    ? head.FitsIn(view.PayloadBytes)
                    : head.TableId == core.Id && LockedEntries.HasKey(head, view.PayloadBytes, key); // tags collide
                SearchOutcome outcome = isKey
                    ? core.ReadValue(head, view.PayloadBytes, ref reader, minVersion, ref now, out info)
                    : SearchOutcome.Miss; // another key, or an entry that is changing
                SlidingUse use = outcome == SearchOutcome.Hit && head.IsSliding ? new SlidingUse(core.Clock, head) : default;
                // Without this a slow reader could return a value that is published in its block but not in the index yet, and the older
                // one after it.
                if (!IsStillLoaded(line, place, slot))
                    return SearchOutcome.Again;
                CrashPoints.Pass(CrashPoint.SearchBetweenRechecks);
                // The block may have been freed and reused. Checked on both sides of the slot, which has no generation: an entry may leave
                // a block and come back to it, and the slot looks the same.
                if (!view.Validate())
                    return SearchOutcome.Again;
                if (core.ChecksEveryRead && !core.Pile.Entries.IsIntact(slot.Address, view)) // throws for an unchanged block
                    return SearchOutcome.Again;
                if (!isKey)
                    continue;
                CrashPoints.Pass(CrashPoint.SearchBeforeRecordUse);
                // The block is the entry's. A use recorded after the entry has left its slot is lost, so the slot is checked once more.
                if (use.SlidingTicks != 0 && now >= use.ExpiresAt && !core.IsUsed(use, now))
                {
                    if (!core.IsOver(head, now) || !IsStillLoaded(line, place, slot))
                        return SearchOutcome.Again; // the expiry was written just now
                    outcome = SearchOutcome.Dead;
                    info = default;
                }
                else if (use.SlidingTicks != 0)
                {
                    long expiresAt = core.RecordUse(key.Hash, use);
                    if (expiresAt == 0 || !IsStillLoaded(line, place, slot))
                    {
                        now = 0; // the entry may have ended
                        return SearchOutcome.Again;
                    }
                    info = core.Clock.Describe(use.Version, info.ValueBytes, expiresAt);
                }
                if (outcome == SearchOutcome.Dead)
                    core.RecordEnd(key.Hash, head.Version);
                if (core.CountsUses && outcome == SearchOutcome.Hit)
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
    private static bool LeadsNowhere(this TableCore core, Bucket* line, int place, IndexSlot slot)
    {
        BlockSnapshot block = core.Pile.Entries.ViewAny(slot.Address);
        bool isEntry = !block.IsNone && EntryBlocks.IsEntry(block, slot.Address) && block.PayloadBytes >= EntryHead.ShortBytes;
        return !isEntry && IsStillLoaded(line, place, slot) && core.Pile.Entries.Validate(block, slot.Address);
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
    private static SearchOutcome ReadValue<TReader>(
        this TableCore core, in EntryHead head, long payloadBytes, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        Liveness liveness = core.LivenessByBlock(head, ref now);
        if (liveness != Liveness.Live && !(liveness == Liveness.Expired && head.IsSliding)) // a use may keep it alive
            return liveness.IsDead() ? SearchOutcome.Dead : SearchOutcome.Miss;
        // An entry below the visibility floor, or one that is too old for the caller.
        if (head.Version < minVersion)
            return SearchOutcome.Miss;
        if (head.Kind >= ValueKind.Pointer && head.Kind <= ValueKind.TagMark)
            return core.ReadSpecial(head, payloadBytes, ref reader, out info);
        long valueBytes = payloadBytes - head.ValueOffset;
        reader.Read(head.Key + head.KeyBytes, valueBytes, EntryHead.BlockKindOf(head.Kind));
        info = core.DescribeRead(head, valueBytes);
        return SearchOutcome.Hit;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static SearchOutcome ReadSpecial<TReader>(
        this TableCore core, in EntryHead head, long payloadBytes, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        // A tombstone; else bytes that are just changing, which the checks find.
        if (head.Kind != ValueKind.Pointer || payloadBytes - head.ValueOffset != sizeof(ulong))
            return SearchOutcome.Miss;
        var pointer = PilePointer.FromUInt64(*(ulong*)(head.Key + head.KeyBytes));
        var measured = new MeasuredReader<TReader>(reader);
        bool isThere = core.Pile.Reader.TryRead(pointer, ref measured);
        reader = measured.Inner;
        if (!isThere)
            return SearchOutcome.Again; // deleted by other code, or with its entry: the checks tell
        info = core.DescribeRead(head, measured.LengthBytes);
        return SearchOutcome.Hit;
    }

    // The expiry of a sliding entry is added once its use is recorded.
    private static EntryInfo DescribeRead(this TableCore core, in EntryHead head, long valueBytes) =>
        head.IsSliding ? new EntryInfo(head.Version, (int)valueBytes) : core.Describe(head, (int)valueBytes);
}
