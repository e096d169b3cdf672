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
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Reads values without a lock: nearly all by the fast path, the rest by <see cref="Searching"/>.</summary>
internal static unsafe class Reading
{
    /// <summary>Reads the value of a key.</summary>
    internal static bool TryRead<TReader>(this TableCore core, in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        core.TryRead(key, ref reader, minVersion: 0, out info);

    /// <summary>Reads the value of a key, if it has at least a version.</summary>
    /// <param name="core">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="reader">Receives the value.</param>
    /// <param name="minVersion">An entry below this version counts as missing.</param>
    /// <param name="info">Version and size.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryRead<TReader>(
        this TableCore core, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        bool found;
        using (ReadScope scope = core.EnterReader())
        {
            found = core.TryReadInRegion(scope.Critical, key, ref reader, minVersion, out info);
            if (core.CountsReads && (found || core.Spill == null)) // else TryReadSpilledCounted counts
                core.Counters.Add(scope.Critical, found ? Counter.Hits : Counter.Misses);
        }
        // After the region: a promotion waits for a stripe lock, and for a file.
        return found || (core.Spill is { } spill && core.TryReadSpilledCounted(spill, key, ref reader, minVersion, out info));
    }

    /// <summary>Reads again for a call that was counted.</summary>
    internal static bool TryReadAgain<TReader>(this TableCore core, in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        core.TryReadMemory(key, ref reader, minVersion: 0, out info)
        || (core.Spill is { } spill && core.TryReadSpilled(spill, key, ref reader, minVersion: 0, out info));

    /// <summary>Reads a key from memory only, and counts nothing.</summary>
    internal static bool TryReadMemory<TReader>(
        this TableCore core, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        using ReadScope scope = core.EnterReader();
        return core.TryReadInRegion(scope.Critical, key, ref reader, minVersion, out info);
    }

    // Arguments passed by reference are spilled to the stack, so the slow path gets copies, or only the parts that it needs.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryReadInRegion<TReader>(
        this TableCore core, CriticalRegion critical, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Unsafe.SkipInit(out info);
        SearchOutcome outcome = key.Matcher == null && minVersion == 0 && core.ReadsPlain
            ? core.ReadPlain(key.Hash, key.Bytes, ref reader, ref info)
            : SearchOutcome.Again;
        if (outcome == SearchOutcome.Hit)
            return true;
        if (outcome == SearchOutcome.Miss)
        {
            info = default;
            return false;
        }
        return core.TryReadAny(critical, key.Hash, key.Bytes, key.Matcher, ref reader, minVersion, out info);
    }

    /// <summary>The fast path: an entry in the first line of its bucket, with neither expiry nor tags.</summary>
    /// <returns>
    /// <see cref="SearchOutcome.Again"/> when anything is different or changes meanwhile: then <see cref="Searching"/> decides.
    /// </returns>
    /// <remarks>
    /// The checks are those of the search. Being short is the point: while one read fits into the processor's reorder window, the next
    /// read's bucket is fetched while this one's block is.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static SearchOutcome ReadPlain<TReader>(
        this TableCore core, ulong hash, ReadOnlySpan<byte> key, ref TReader reader, ref EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        Debug.Assert(core.IsAllVisible && !core.ChecksEveryRead, "The fast path is closed while a rebuild or checksums need the full one.");
        if (!core.Index.TryFindUnmoved(hash, out Bucket* line, out byte state)) // acquire: the state before the slots
            return SearchOutcome.Again;
        uint match = Bucket.Match(line, IndexSlot.TagOf(hash));
        if (match == 0)
            return IsPlainMiss(line, state) ? SearchOutcome.Miss : SearchOutcome.Again;
        ulong* slotAt = Bucket.SlotAt(line, BitOperations.TrailingZeroCount(match));
        // Acquire; pairs with the slot's store in IndexSwap.PublishLocked: what it leads to is visible.
        var slot = new IndexSlot(Volatile.Read(ref *slotAt));
        BlockSnapshot view = core.Pile.Entries.ViewRecovered(slot.Address); // header (acquire), then page info
        // None also in a page that recovery has yet to check: Searching has it checked.
        if (view.IsNone || view.PayloadBytes < EntryHead.ShortBytes)
            return SearchOutcome.Again;
        // The block may be freed and reused from here on, so lengths are bounded before they are used.
        var head = new PlainHead(view.Payload);
        long valueBytes = view.PayloadBytes - head.ValueOffset;
        if (!head.IsPlainAfter(core.Tags.ClearedUpTo) || valueBytes < 0 || !(head.HasKey(core.Id, key) || Mutation.KeyNotCompared))
            return SearchOutcome.Again;
        // The copy may mix two entries until both checks below have passed: slot, then block. Searching.Search says why in this order.
        info = new EntryInfo(head.Version, (int)valueBytes);
        reader.Read(head.Value, valueBytes, EntryHead.BlockKindOf(head.Kind));
        if (!Searching.IsStillLoaded(slotAt, slot) || !view.Validate())
            return SearchOutcome.Again;
        if (core.CountsUses)
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
    private static bool TryReadAny<TReader>(
        this TableCore core, CriticalRegion critical, ulong hash, ReadOnlySpan<byte> keyBytes, KeyMatcher? matcher, ref TReader reader,
        ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        var key = new KeyProbe(keyBytes, hash, matcher);
        minVersion = Math.Max(minVersion, core.VisibilityFloor); // acquire, before all that it guards; pairs with MakeAllVisible
        if (matcher == null)
            return core.TryReadCompared(key, ref reader, minVersion, out info);
        while (true)
        {
            try
            {
                return core.TryReadCompared(key, ref reader, minVersion, out info);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            core.LeaveToCompare(critical, matcher); // outside, the comparer may wait; what was found is void
        }
    }

    private static bool TryReadCompared<TReader>(
        this TableCore core, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        long now = 0; // read when an entry may have expired
        SearchOutcome outcome;
        do
            outcome = core.Search(key, ref reader, minVersion, ref now, out info);
        while (outcome == SearchOutcome.Again);
        return outcome == SearchOutcome.Hit;
    }
}
