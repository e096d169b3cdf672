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

namespace BigPile.Caching.Persistence;

/// <summary>Completes or undoes the changes whose intents a killed process left in the intent log.</summary>
/// <remarks>
/// The index slot decides. If it points to the new block, or no longer to the one that a removal takes, the change is completed: the old
/// block is freed if it is live. Otherwise the change is undone: the new block is freed if it is live. The counter cell is set to its value
/// before the change, plus what a completed change adds. The recovery is idempotent. Nobody uses the tables yet, and nothing was allocated
/// since the kill. So a live block at the new address with the table's id is the new block. The old block is recognized by its version, as
/// its slot may have been reused.
/// </remarks>
/// <param name="pile">The pile.</param>
/// <param name="cores">The tables whose index is the killed process's, by id.</param>
internal sealed unsafe class IntentRecovery(Pile pile, IReadOnlyDictionary<int, TableCore> cores)
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
            else if (cores.TryGetValue(intent.TableId, out TableCore? core))
                Recover(core, intent);
            CrashPoints.Pass(CrashPoint.ChangeRecovered);
            Volatile.Write(ref intent.Word, 0);
            count++;
        }
        return isDamaged ? null : count;
    }

    private void Recover(TableCore core, in Intent intent)
    {
        using ChangeScope scope = pile.Blocks.EnterWriter();
        bool isMade = intent.NewAddress == 0 ? !LeadsTo(core, intent.OldAddress, intent.OldVersion) : LeadsTo(core, intent.NewAddress);
        PilePointer kept = OwnedAt(core, isMade ? intent.NewAddress : intent.OldAddress);
        if (isMade)
            FreeOld(core, intent, kept);
        else if (intent.NewAddress != 0)
            FreeNew(core, intent, kept);
        if (intent.IsOfTagMark)
            core.Index.Head->MarkCount = core.Index.MarksLocked.Slots.Count;
        else
            SetCounters(core, intent, isMade);
    }

    private void FreeOld(TableCore core, in Intent intent, PilePointer kept)
    {
        if (intent.OldAddress == 0 || !core.TryViewLocked(intent.OldAddress, out EntryHead head, out _)
            || head.Version != intent.OldVersion)
            return;
        PilePointer owned = head.Owned;
        LockedEntries.Free(pile, intent.OldAddress, owned == kept ? default : owned);
    }

    private void FreeNew(TableCore core, in Intent intent, PilePointer kept)
    {
        if (!core.TryViewLocked(intent.NewAddress, out EntryHead head, out _))
            return;
        PilePointer owned = head.Owned;
        LockedEntries.Free(pile, intent.NewAddress, intent.OwnsNew && owned != kept ? owned : default);
    }

    private static PilePointer OwnedAt(TableCore core, ulong address) =>
        address != 0 && core.TryViewLocked(address, out EntryHead head, out _) ? head.Owned : default;

    /// <summary>Whether the index points to a live block at an address, and the block has a version, if one is given.</summary>
    private static bool LeadsTo(TableCore core, ulong address, ulong version = 0)
    {
        if (!core.TryViewLocked(address, out EntryHead head, out _) || (version != 0 && head.Version != version))
            return false;
        if (head.Kind == ValueKind.TagMark)
            return core.Index.MarksLocked.Slots.HaveAddress(address);
        using LockedBucket bucket = core.Index.Lock(core.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)));
        return bucket.Slots.HaveAddress(address);
    }

    private static void SetCounters(TableCore core, in Intent intent, bool isMade)
    {
        var before = new BlockCount(intent.Entries, intent.FootprintBytes, intent.PayloadBytes);
        var added = new BlockCount(intent.EntriesAdded, intent.FootprintBytesAdded, intent.PayloadBytesAdded);
        core.Counters.Set(intent.Cell, isMade ? before + added : before);
    }
}
