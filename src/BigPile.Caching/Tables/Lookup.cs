using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Reads values without a lock: nearly all by the fast path, the rest by <see cref="Search"/>.</summary>
/// <remarks>
/// What was read counts once all checks have passed; where one fails, the search starts over. A miss counts if no entries of the bucket
/// moved meanwhile.
/// </remarks>
internal readonly unsafe partial struct Lookup(TableEngine table, bool readsStale = false)
{
    private readonly TableEngine _table = table;
    private readonly bool _readsStale = readsStale; // whether a stale entry is a hit, too

    internal bool TryRead<TReader>(in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryRead(key, ref reader, minVersion: 0, out info);

    /// <summary>Reads the value of a key. An entry below a version counts as missing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader>(in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryRead(key, ref reader, minVersion, out info, out _);

    /// <summary>As the other one, and tells the time if it had to be read: an entry that is due for a refresh has that read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader>(in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info, out long now)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        bool found;
        now = 0;
        using (ReadScope scope = _table.EnterReader())
        {
            found = TryReadInRegion(scope.Critical, key, ref reader, minVersion, ref now, out info);
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
        || (_table.Disk is { } disk && disk.TryRead(key, ref reader, minVersion: 0, out info, _readsStale));

    /// <summary>Reads a key from memory only, and counts nothing.</summary>
    internal bool TryReadMemory<TReader>(in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        long now = 0;
        using ReadScope scope = _table.EnterReader();
        return TryReadInRegion(scope.Critical, key, ref reader, minVersion, ref now, out info);
    }

    // By-reference arguments are spilled to the stack, so the slow path gets copies, or only the parts that it needs.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadInRegion<TReader>(
        CriticalRegion critical, in KeyProbe key, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
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
        return TryReadAny(_table, _readsStale, critical, key.Hash, key.Bytes, key.Matcher, ref reader, minVersion, ref now, out info);
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
        TableEngine table, bool readsStale, CriticalRegion critical, ulong hash, ReadOnlySpan<byte> keyBytes, KeyMatcher? matcher,
        ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        var key = new KeyProbe(keyBytes, hash, matcher);
        minVersion = Math.Max(minVersion, table.Visibility.Floor); // acquire, before all that it guards; pairs with ShowAll
        if (matcher == null)
            return new Lookup(table, readsStale).TryReadCompared(key, ref reader, minVersion, ref now, out info);
        while (true)
        {
            try
            {
                return new Lookup(table, readsStale).TryReadCompared(key, ref reader, minVersion, ref now, out info);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            table.Comparison.LeaveToCompare(critical, matcher); // outside, the comparer may wait; what was found is void
        }
    }

    // The time is read when an entry may have expired, or be due for a refresh.
    private bool TryReadCompared<TReader>(in KeyProbe key, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        now = 0;
        SearchOutcome outcome;
        do
            outcome = Search(key, ref reader, minVersion, ref now, out info);
        while (outcome == SearchOutcome.Again);
        return outcome == SearchOutcome.Hit;
    }
}
