using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Tables;

namespace BigPile.Caching.Recovery;

/// <summary>Completes or undoes the changes whose intents a killed process left in the intent log.</summary>
/// <remarks>
/// The index slot decides. If it points to the new block, or no longer to the one that a removal takes, the change is completed: the old
/// block is freed if it is live. Otherwise the change is undone: the new block is freed if it is live. The counter cell is set to its value
/// before the change, plus what a completed change adds. The recovery is idempotent. Nobody uses the tables yet, so
/// no entry was written since the kill: a live entry of the table at the new address is the new block. The old block is recognized by its
/// version, as its slot may have been reused.
/// </remarks>
/// <param name="heap">The pile.</param>
/// <param name="engines">The tables whose index is the killed process's, by id.</param>
internal sealed unsafe class IntentRecovery(TableHeap heap, IReadOnlyDictionary<int, TableEngine> engines)
{
    /// <summary>Recovers all intents, and clears them.</summary>
    /// <returns>The number of valid intents; null if one was damaged, so that any index may be wrong.</returns>
    internal int? Run(IntentLog intents)
    {
        int count = 0;
        bool isDamaged = false;
        for (int i = 0; i < intents.Count; i++)
        {
            ref Intent intent = ref intents[i];
            if (!intent.IsValid)
                continue;
            if (!intent.HasValidCheck)
                isDamaged = true;
            else if (engines.TryGetValue(intent.TableId, out TableEngine? engine))
                Recover(engine, intent);
            CrashPoints.Pass(CrashPoint.ChangeRecovered);
            Volatile.Write(ref intent.Word, 0);
            count++;
        }
        return isDamaged ? null : count;
    }

    private void Recover(TableEngine engine, in Intent intent)
    {
        using ChangeScope scope = heap.EnterWriter();
        bool isMade = intent.NewAddress == 0 ? !LeadsTo(engine, intent.OldAddress, intent.OldVersion) : LeadsTo(engine, intent.NewAddress);
        PilePointer kept = OwnedAt(engine, isMade ? intent.NewAddress : intent.OldAddress);
        if (isMade)
            FreeOld(engine, intent, kept);
        else if (intent.NewAddress != 0)
            FreeNew(engine, intent, kept);
        if (intent.IsOfTagMark)
            engine.Index.Head->CountMarks(engine.Index.MarksLocked.Slots.Count);
        else
            SetCounters(engine, intent, isMade);
    }

    private void FreeOld(TableEngine engine, in Intent intent, PilePointer kept)
    {
        if (intent.OldAddress == 0 || !engine.Entries.TryViewLocked(intent.OldAddress, out EntryHead head, out _)
            || head.Version != intent.OldVersion)
            return;
        PilePointer owned = head.Owned;
        engine.Entries.Free(intent.OldAddress, owned == kept ? default : owned);
    }

    private void FreeNew(TableEngine engine, in Intent intent, PilePointer kept)
    {
        if (!engine.Entries.TryViewLocked(intent.NewAddress, out EntryHead head, out _))
            return;
        PilePointer owned = head.Owned;
        engine.Entries.Free(intent.NewAddress, intent.OwnsNew && owned != kept ? owned : default);
    }

    private static PilePointer OwnedAt(TableEngine engine, ulong address) =>
        address != 0 && engine.Entries.TryViewLocked(address, out EntryHead head, out _) ? head.Owned : default;

    /// <summary>Whether the index points to a live block at an address, and the block has a version, if one is given.</summary>
    private static bool LeadsTo(TableEngine engine, ulong address, ulong version = 0)
    {
        if (!engine.Entries.TryViewLocked(address, out EntryHead head, out _) || (version != 0 && head.Version != version))
            return false;
        if (head.Kind == ValueKind.TagMark)
            return engine.Index.MarksLocked.Slots.HaveAddress(address);
        using LockedBucket bucket = engine.Index.Lock(engine.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)));
        return bucket.Slots.HaveAddress(address);
    }

    private static void SetCounters(TableEngine engine, in Intent intent, bool isMade)
    {
        var before = new BlockCount(intent.Entries, intent.FootprintBytes, intent.PayloadBytes);
        var added = new BlockCount(intent.EntriesAdded, intent.FootprintBytesAdded, intent.PayloadBytesAdded);
        engine.Counters.Set(intent.Cell, isMade ? before + added : before);
    }
}
