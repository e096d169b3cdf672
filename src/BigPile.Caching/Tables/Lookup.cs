using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>Reads values without a lock: nearly all by the fast path, the rest by <see cref="Search"/>.</summary>
/// <remarks>
/// What was read counts once all checks have passed; where one fails, the search starts over. A miss counts if no entries of the bucket
/// moved meanwhile.
/// </remarks>
internal readonly unsafe struct Lookup(TableEngine table)
{
    private readonly TableEngine _table = table;

    internal bool TryRead<TReader>(in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryRead(key, ref reader, minVersion: 0, out info);

    /// <summary>Reads the value of a key. An entry below a version counts as missing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader>(in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        bool found;
        using (ReadScope scope = _table.EnterReader())
        {
            found = TryReadInRegion(scope.Critical, key, ref reader, minVersion, out info);
            if (_table.CountsReads && (found || _table.Disk == null)) // else DiskTier.TryReadCounted counts
                _table.Counters.Add(scope.Critical, found ? Counter.Hits : Counter.Misses);
        }
        // After the region: a promotion waits for a stripe lock, and for a file.
        return found || (_table.Disk is { } disk && disk.TryReadCounted(key, ref reader, minVersion, out info));
    }

    /// <summary>Reads again for a call that was counted.</summary>
    internal bool TryReadAgain<TReader>(in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryReadMemory(key, ref reader, minVersion: 0, out info)
        || (_table.Disk is { } disk && disk.TryRead(key, ref reader, minVersion: 0, out info));

    /// <summary>Reads a key from memory only, and counts nothing.</summary>
    internal bool TryReadMemory<TReader>(in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        using ReadScope scope = _table.EnterReader();
        return TryReadInRegion(scope.Critical, key, ref reader, minVersion, out info);
    }

    // By-reference arguments are spilled to the stack, so the slow path gets copies, or only the parts that it needs.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadInRegion<TReader>(
        CriticalRegion critical, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Unsafe.SkipInit(out info);
        SearchOutcome outcome = key.Matcher == null && minVersion == 0 && _table.Visibility.ReadsPlain
            ? ReadPlain(_table, key.Hash, key.Bytes, ref reader, ref info)
            : SearchOutcome.Again;
        if (outcome == SearchOutcome.Hit)
            return true;
        if (outcome == SearchOutcome.Miss)
        {
            info = default;
            return false;
        }
        return TryReadAny(_table, critical, key.Hash, key.Bytes, key.Matcher, ref reader, minVersion, out info);
    }

    /// <summary>The fast path: a plain entry (no expiry, no tags, normal priority) in the first line of its bucket.</summary>
    /// <returns>
    /// <see cref="SearchOutcome.Again"/> when anything is different or changes meanwhile: then <see cref="Search"/> decides.
    /// </returns>
    /// <remarks>
    /// The checks are those of the search. Being short is the point: while one read fits into the processor's reorder window, the next
    /// read's bucket is fetched while this one's block is.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static SearchOutcome ReadPlain<TReader>(
        TableEngine table, ulong hash, ReadOnlySpan<byte> key, ref TReader reader, ref EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(
            table.Visibility.IsAllVisible && !table.Heap.ChecksEveryRead, "A rebuild or checksums close the fast path.");
        if (!table.Index.TryFindUnmoved(hash, out Bucket* line, out byte state)) // acquire: the state before the slots
            return SearchOutcome.Again;
        bool isAll = line->Next == 0; // acquire, before the slots: an entry of a later line may move to one of these
        uint match = Bucket.Match(line, IndexSlot.TagOf(hash));
        if (match == 0)
            return isAll && IsUnmoved(line, state) ? SearchOutcome.Miss : SearchOutcome.Again;
        var place = new SlotPlace(line, BitOperations.TrailingZeroCount(match));
        IndexSlot slot = place.Value; // acquire; pairs with the slot's store in Upsert.Swap: what it leads to is visible
        BlockSnapshot view = table.Heap.ViewRecovered(slot.Address); // header (acquire), then page info
        // None also in a page that recovery has yet to check: Search has it checked.
        if (view.IsNone || view.PayloadBytes < EntryHead.ShortBytes)
            return SearchOutcome.Again;
        // The block may be freed and reused from here on, so lengths are bounded before they are used.
        var head = new PlainHead(view.Payload);
        long valueBytes = view.PayloadBytes - head.ValueOffset;
        if (!head.IsPlainAfter(table.Tags.ClearedUpTo) || valueBytes < 0 || !(head.HasKey(table.Id, key) || Mutation.KeyNotCompared))
            return SearchOutcome.Again;
        // The copy may mix two entries until both checks below have passed: slot, then block. Search says why in this order.
        info = new EntryInfo(head.Version, (int)valueBytes);
        reader.Read(head.Value, valueBytes, EntryHead.BlockKindOf(head.Kind));
        if (!place.IsStill(slot) || !view.Validate())
            return SearchOutcome.Again;
        if (table.CountsUses)
            place.CountUse(); // plain stores; a lost count is harmless
        return SearchOutcome.Hit;
    }

    private static bool IsUnmoved(Bucket* bucket, byte state)
    {
        Volatile.ReadBarrier(); // pairs with the barriers of Bucket.BeginMoveLocked and BucketLocks.CountMove
        return state == bucket->State || Mutation.BucketStateNotLoadedAgain;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool TryReadAny<TReader>(
        TableEngine table, CriticalRegion critical, ulong hash, ReadOnlySpan<byte> keyBytes, KeyMatcher? matcher, ref TReader reader,
        ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        var key = new KeyProbe(keyBytes, hash, matcher);
        minVersion = Math.Max(minVersion, table.Visibility.Floor); // acquire, before all that it guards; pairs with ShowAll
        if (matcher == null)
            return new Lookup(table).TryReadCompared(key, ref reader, minVersion, out info);
        while (true)
        {
            try
            {
                return new Lookup(table).TryReadCompared(key, ref reader, minVersion, out info);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            table.Comparison.LeaveToCompare(critical, matcher); // outside, the comparer may wait; what was found is void
        }
    }

    private bool TryReadCompared<TReader>(in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        long now = 0; // read when an entry may have expired
        SearchOutcome outcome;
        do
            outcome = Search(key, ref reader, minVersion, ref now, out info);
        while (outcome == SearchOutcome.Again);
        return outcome == SearchOutcome.Hit;
    }

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
                    if (!_table.Liveness.IsOver(head, now) || !place.IsStill(slot))
                        return SearchOutcome.Again; // the expiry was written just now
                    outcome = SearchOutcome.Dead;
                    info = default;
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
        bool isThere = _table.Heap.TryRead(pointer, ref measured);
        reader = measured.Inner;
        if (!isThere)
            return SearchOutcome.Again; // deleted by other code, or with its entry: the checks tell
        info = DescribeRead(head, measured.LengthBytes);
        return SearchOutcome.Hit;
    }

    // The expiry of a sliding entry is added once its use is recorded.
    private EntryInfo DescribeRead(in EntryHead head, long valueBytes) =>
        head.IsSliding ? new EntryInfo(head.Version, (int)valueBytes) : _table.Liveness.Describe(head, (int)valueBytes);
}
