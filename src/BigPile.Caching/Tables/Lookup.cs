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

/// <summary>Reads values without a lock: nearly all by the fast path, the rest by <see cref="Search"/>.</summary>
internal sealed unsafe partial class Lookup(TableEngine table)
{
    /// <summary>Reads the value of a key.</summary>
    internal bool TryRead<TReader>(in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryRead(key, ref reader, minVersion: 0, out info);

    /// <summary>Reads the value of a key, if it has at least a version.</summary>
    /// <param name="key">The key.</param>
    /// <param name="reader">Receives the value.</param>
    /// <param name="minVersion">An entry below this version counts as missing.</param>
    /// <param name="info">Version and size.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader>(
        in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        bool found;
        using (ReadScope scope = table.EnterReader())
        {
            found = TryReadInRegion(scope.Critical, key, ref reader, minVersion, out info);
            if (table.CountsReads && (found || table.Disk == null)) // else TryReadSpilledCounted counts
                table.Counters.Add(scope.Critical, found ? Counter.Hits : Counter.Misses);
        }
        // After the region: a promotion waits for a stripe lock, and for a file.
        return found || (table.Disk is { } disk && disk.TryReadCounted(key, ref reader, minVersion, out info));
    }

    /// <summary>Reads again for a call that was counted.</summary>
    internal bool TryReadAgain<TReader>(in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryReadMemory(key, ref reader, minVersion: 0, out info)
        || (table.Disk is { } disk && disk.TryRead(key, ref reader, minVersion: 0, out info));

    /// <summary>Reads a key from memory only, and counts nothing.</summary>
    internal bool TryReadMemory<TReader>(
        in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        using ReadScope scope = table.EnterReader();
        return TryReadInRegion(scope.Critical, key, ref reader, minVersion, out info);
    }

    // Arguments passed by reference are spilled to the stack, so the slow path gets copies, or only the parts that it needs.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadInRegion<TReader>(
        CriticalRegion critical, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Unsafe.SkipInit(out info);
        SearchOutcome outcome = key.Matcher == null && minVersion == 0 && table.Visibility.ReadsPlain
            ? ReadPlain(key.Hash, key.Bytes, ref reader, ref info)
            : SearchOutcome.Again;
        if (outcome == SearchOutcome.Hit)
            return true;
        if (outcome == SearchOutcome.Miss)
        {
            info = default;
            return false;
        }
        return TryReadAny(critical, key.Hash, key.Bytes, key.Matcher, ref reader, minVersion, out info);
    }

    /// <summary>The fast path: an entry in the first line of its bucket, with neither expiry nor tags.</summary>
    /// <returns>
    /// <see cref="SearchOutcome.Again"/> when anything is different or changes meanwhile: then <see cref="Search"/> decides.
    /// </returns>
    /// <remarks>
    /// The checks are those of the search. Being short is the point: while one read fits into the processor's reorder window, the next
    /// read's bucket is fetched while this one's block is.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private SearchOutcome ReadPlain<TReader>(
        ulong hash, ReadOnlySpan<byte> key, ref TReader reader, ref EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(table.Visibility.IsAllVisible && !table.Heap.ChecksEveryRead, "The fast path is closed while a rebuild or checksums need the full one.");
        if (!table.Index.TryFindUnmoved(hash, out Bucket* line, out byte state)) // acquire: the state before the slots
            return SearchOutcome.Again;
        uint match = Bucket.Match(line, IndexSlot.TagOf(hash));
        if (match == 0)
            return IsPlainMiss(line, state) ? SearchOutcome.Miss : SearchOutcome.Again;
        ulong* slotAt = Bucket.SlotAt(line, BitOperations.TrailingZeroCount(match));
        // Acquire; pairs with the slot's store in Upsert.Swap: what it leads to is visible.
        var slot = new IndexSlot(Volatile.Read(ref *slotAt));
        BlockSnapshot view = table.Heap.ViewRecovered(slot.Address); // header (acquire), then page info
        // None also in a page that recovery has yet to check: Searching has it checked.
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
        if (!IsStillLoaded(slotAt, slot) || !view.Validate())
            return SearchOutcome.Again;
        if (table.CountsUses)
            Bucket.CountUseOf(slotAt); // plain stores; a lost count is harmless
        return SearchOutcome.Hit;
    }

    private static bool IsPlainMiss(Bucket* line, byte state)
    {
        bool isAll = line->Next == 0;
        Volatile.ReadBarrier(); // pairs with the barrier of Bucket.BeginMoveLocked
        return isAll && (state == line->State || Mutation.BucketStateNotLoadedAgain);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadAny<TReader>(
        CriticalRegion critical, ulong hash, ReadOnlySpan<byte> keyBytes, KeyMatcher? matcher, ref TReader reader,
        ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        var key = new KeyProbe(keyBytes, hash, matcher);
        minVersion = Math.Max(minVersion, table.Visibility.Floor); // acquire, before all that it guards; pairs with MakeAllVisible
        if (matcher == null)
            return TryReadCompared(key, ref reader, minVersion, out info);
        while (true)
        {
            try
            {
                return TryReadCompared(key, ref reader, minVersion, out info);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            table.Comparison.LeaveToCompare(critical, matcher); // outside, the comparer may wait; what was found is void
        }
    }

    private bool TryReadCompared<TReader>(
        in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        long now = 0; // read when an entry may have expired
        SearchOutcome outcome;
        do
            outcome = Search(key, ref reader, minVersion, ref now, out info);
        while (outcome == SearchOutcome.Again);
        return outcome == SearchOutcome.Hit;
    }
}
