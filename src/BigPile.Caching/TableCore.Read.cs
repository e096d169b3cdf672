using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching;

/// <summary>Reading.</summary>
/// <remarks>
/// A read takes no lock. In order: state of the bucket (acquire), which must be responsible for the hash and must not be moving entries;
/// slot (acquire) with the hash's tag; block, its head, and the key, since tags collide; the copy, with lengths bounded first; a read
/// barrier; the slot again, because without it a slow reader could show a value that is published in its block but not yet in the table,
/// and the older one after it; the block's header and page again, because the block may have been freed and used anew. The slot is looked
/// at between two looks at the block, as it has no generation: an entry may leave a block and come back to it, and the slot is as it was.
/// Any difference: start over. A miss counts when no entry of the bucket was moved meanwhile.
/// </remarks>
internal sealed unsafe partial class TableCore
{
    private enum Outcome
    {
        Again,
        Miss,
        Hit,

        /// <summary>The entry is found and no more; a miss that leaves something to clear away.</summary>
        Dead,
    }

    /// <summary>Which of the checks a read makes: all of them. Tests leave one out, and must notice.</summary>
    internal interface ISearchChecks
    {
        /// <summary>Whether the block must be the same behind the copy.</summary>
        static abstract bool BlockAgain { get; }

        /// <summary>Whether the slot must be the same behind the copy.</summary>
        static abstract bool SlotAgain { get; }

        /// <summary>Whether the key is compared.</summary>
        static abstract bool Key { get; }

        /// <summary>Whether nothing may have been moved when nothing was found.</summary>
        static abstract bool StateAgain { get; }

        /// <summary>Where a search is between two of its looks.</summary>
        static virtual void Pass(SearchPoint point)
        {
        }
    }

    /// <summary>Places of a search at which tests change what it looks at.</summary>
    internal enum SearchPoint
    {
        /// <summary>The slot was read, its block was not.</summary>
        BeforeBlock,

        /// <summary>The block was read.</summary>
        AfterBlock,

        /// <summary>Between the second looks at slot and block.</summary>
        BetweenSecondLooks,
    }

    /// <summary>Reads the value of a key.</summary>
    internal bool TryRead<TReader>(in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct =>
        TryRead<TReader, AllChecks>(key, ref reader, minVersion: 0, out info);

    /// <summary>Reads the value of a key, with the checks of a type.</summary>
    /// <param name="key">The key.</param>
    /// <param name="reader">Gets the value.</param>
    /// <param name="minVersion">An entry below this version is too old, and is not read.</param>
    /// <param name="info">Version and size.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryRead<TReader, TChecks>(in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, ISearchChecks
    {
        ThreadPresence presence = EnterToRead();
        bool found;
        try
        {
            found = TryReadInside<TReader, TChecks>(presence, key, ref reader, minVersion, out info);
            if (_countsReads)
                _counters.Add(presence, found ? Counter.Hits : Counter.Misses);
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
        if (presence.WantsRoom)
            RenewWithRoom(key);
        return found;
    }

    /// <summary>Reads once more on behalf of a call that was counted.</summary>
    internal bool TryReadAgain<TReader>(in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        ThreadPresence presence = EnterToRead();
        bool found;
        try
        {
            found = TryReadInside<TReader, AllChecks>(presence, key, ref reader, minVersion: 0, out info);
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
        if (presence.WantsRoom)
            RenewWithRoom(key);
        return found;
    }

    // What is passed on by reference lives in memory, so the rare way gets copies, or the parts of what it needs.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadInside<TReader, TChecks>(
        ThreadPresence presence, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, ISearchChecks
    {
        Unsafe.SkipInit(out info);
        Outcome outcome = key.Matcher == null && minVersion == 0 && Volatile.Read(ref _readsPlain)
            ? ReadPlain<TReader, TChecks>(key.Hash, key.Bytes, ref reader, ref info)
            : Outcome.Again;
        if (outcome == Outcome.Hit)
            return true;
        if (outcome == Outcome.Miss)
        {
            info = default;
            return false;
        }
        return TryReadAny<TReader, TChecks>(presence, key.Hash, key.Bytes, key.Matcher, ref reader, minVersion, out info);
    }

    /// <summary>Reads an entry as nearly all are: in the first line of its bucket, and with neither expiry nor tags.</summary>
    /// <returns><see cref="Outcome.Again"/> when anything is otherwise, or changes meanwhile: then <see cref="Search"/> tells.</returns>
    /// <remarks>
    /// The checks are those of the search. What makes it worth its place is that it is short: as long as one read fits into the processor's
    /// window, the next one's bucket is on its way while this one's block is.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Outcome ReadPlain<TReader, TChecks>(ulong hash, ReadOnlySpan<byte> key, ref TReader reader, ref EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, ISearchChecks
    {
        if (!_index.TryFind(hash, out Bucket* line, out byte state))
            return Outcome.Again;
        uint match = Bucket.Match(line, IndexSlot.TagOf(hash));
        if (match == 0)
            return IsPlainMiss<TChecks>(line, state) ? Outcome.Miss : Outcome.Again;
        ulong* slotAt = Bucket.SlotAt(line, BitOperations.TrailingZeroCount(match));
        var slot = new IndexSlot(Volatile.Read(ref *slotAt));
        EntryView view = Pile.Entries.ViewExamined(slot.Address);
        if (view.IsNone || view.PayloadBytes < EntryHead.ShortBytes)
            return Outcome.Again;
        var head = new PlainHead(view.Payload);
        long valueBytes = view.PayloadBytes - head.ValueOffset;
        if (!head.IsPlainAfter(Tags.ClearedUpTo) || valueBytes < 0 || (TChecks.Key && !head.HasKey(key)))
            return Outcome.Again;
        info = new EntryInfo(head.Version, (int)valueBytes);
        reader.Read(head.Value, valueBytes, EntryHead.BlockKindOf(head.Kind));
        if ((TChecks.SlotAgain && !IsStillLoaded(slotAt, slot)) || (TChecks.BlockAgain && !view.IsUnchanged()))
            return Outcome.Again;
        if (_countsUses)
            Bucket.CountUseOf(slotAt);
        return Outcome.Hit;
    }

    private static bool IsPlainMiss<TChecks>(Bucket* line, byte state)
        where TChecks : struct, ISearchChecks
    {
        bool isAll = line->Next == 0;
        Volatile.ReadBarrier(); // pairs with the one of whoever moves entries
        return isAll && (!TChecks.StateAgain || Bucket.IsSame(state, line->State));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadAny<TReader, TChecks>(
        ThreadPresence presence, ulong hash, ReadOnlySpan<byte> keyBytes, KeyMatcher? matcher, ref TReader reader, ulong minVersion,
        out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, ISearchChecks
    {
        var key = new KeyProbe(keyBytes, hash, matcher);
        minVersion = Math.Max(minVersion, ShownFrom); // read once, and before all that it allows to show
        if (matcher == null)
            return TryReadCompared<TReader, TChecks>(presence, key, ref reader, minVersion, out info);
        while (true)
        {
            try
            {
                return TryReadCompared<TReader, TChecks>(presence, key, ref reader, minVersion, out info);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            LeaveToCompare(presence, matcher);
        }
    }

    private bool TryReadCompared<TReader, TChecks>(
        ThreadPresence presence, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, ISearchChecks
    {
        long now = 0;
        Outcome outcome;
        bool isSliding;
        while ((outcome = Search<TReader, TChecks>(key, ref reader, minVersion, ref now, out info, out isSliding)) == Outcome.Again)
        {
        }
        if (outcome == Outcome.Hit)
        {
            if (isSliding)
                Renew(presence, key, now);
            return true;
        }
        if (outcome == Outcome.Dead)
            DropIfDead(presence, key, now == 0 ? _clock.BeforeLock : now);
        return false;
    }

    private Outcome Search<TReader, TChecks>(
        in KeyProbe key, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info, out bool isSliding)
        where TReader : struct, IPayloadReader, allows ref struct
        where TChecks : struct, ISearchChecks
    {
        info = default;
        isSliding = false;
        ulong tag = IndexSlot.TagOf(key.Hash);
        Bucket* bucket = _index.Find(key.Hash, out byte state);
        for (Bucket* line = bucket; line != null; line = _index.Next(line))
        {
            for (uint match = Bucket.Match(line, tag); match != 0; match &= match - 1)
            {
                int place = BitOperations.TrailingZeroCount(match);
                IndexSlot slot = Bucket.Load(line, place);
                if (!slot.MayBe(key.Hash))
                    continue;
                TChecks.Pass(SearchPoint.BeforeBlock);
                EntryView view = Pile.Entries.View(slot.Address);
                if (view.IsNone || view.PayloadBytes < EntryHead.ShortBytes)
                {
                    TChecks.Pass(SearchPoint.AfterBlock);
                    if (LeadsNowhere(line, place, slot))
                        continue; // its page turned out to be damaged after it was opened
                    return Outcome.Again;
                }
                var head = new EntryHead(view.Payload);
                bool isKey = TChecks.Key ? HasKey(head, view.PayloadBytes, key) : head.FitsIn(view.PayloadBytes);
                Outcome outcome = isKey ? ReadValue(head, view.PayloadBytes, ref reader, minVersion, ref now, out info) : Outcome.Miss;
                if (isKey)
                    isSliding = head.IsSliding;
                if (TChecks.SlotAgain && !IsStillLoaded(line, place, slot))
                    return Outcome.Again;
                TChecks.Pass(SearchPoint.BetweenSecondLooks);
                if (TChecks.BlockAgain && !view.IsUnchanged())
                    return Outcome.Again;
                if (_checksEveryRead && !Pile.Entries.IsIntact(slot.Address, view))
                    return Outcome.Again;
                if (!isKey)
                    continue;
                if (_countsUses && outcome == Outcome.Hit)
                    line->CountUse(place);
                return outcome == Outcome.Again ? Outcome.Miss : outcome; // what a pointer leads to was deleted by somebody else
            }
        }
        Volatile.ReadBarrier(); // pairs with the one of whoever moves entries
        return !TChecks.StateAgain || Bucket.IsSame(state, bucket->State) ? Outcome.Miss : Outcome.Again;
    }

    // That a block is none says nothing by itself: the entry may have left it, and come back to it since. What counts is a slot that leads
    // to the block between two looks that find the same.
    private bool LeadsNowhere(Bucket* line, int place, IndexSlot slot)
    {
        EntryTrace trace = Pile.Entries.Trace(slot.Address);
        return trace.IsNone(EntryHead.ShortBytes) && IsStillLoaded(line, place, slot) && Pile.Entries.Trace(slot.Address) == trace;
    }

    private static bool IsStillLoaded(Bucket* line, int place, IndexSlot slot) => IsStillLoaded(Bucket.SlotAt(line, place), slot);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsStillLoaded(ulong* slotAt, IndexSlot slot)
    {
        Volatile.ReadBarrier(); // behind all that was read of the block
        return Volatile.Read(ref *slotAt) == slot.Word;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Outcome ReadValue<TReader>(
        in EntryHead head, long payloadBytes, ref TReader reader, ulong minVersion, ref long now, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        if (IsDead(head, ref now))
            return Outcome.Dead;
        if (head.Version < minVersion)
            return Outcome.Miss;
        if (head.Kind >= ValueKind.Pointer && head.Kind <= ValueKind.TagMark)
            return ReadSpecial(head, payloadBytes, ref reader, out info);
        long valueBytes = payloadBytes - head.ValueOffset;
        reader.Read(head.Key + head.KeyBytes, valueBytes, EntryHead.BlockKindOf(head.Kind));
        info = head.Describe((int)valueBytes);
        return Outcome.Hit;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Outcome ReadSpecial<TReader>(in EntryHead head, long payloadBytes, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        if (head.Kind != ValueKind.Pointer || payloadBytes - head.ValueOffset != sizeof(ulong))
            return Outcome.Miss;
        var pointer = PilePointer.FromUInt64(*(ulong*)(head.Key + head.KeyBytes));
        var size = default(SizeReader);
        if (!Pile.Reader.TryRead(pointer, ref reader) || !Pile.Reader.TryRead(pointer, ref size))
            return Outcome.Again;
        info = head.Describe((int)size.LengthBytes);
        return Outcome.Hit;
    }

    internal readonly struct AllChecks : ISearchChecks
    {
        public static bool BlockAgain => true;

        public static bool SlotAgain => true;

        public static bool Key => true;

        public static bool StateAgain => true;
    }
}
