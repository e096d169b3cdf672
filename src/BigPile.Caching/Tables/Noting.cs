using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Notes what is about to be changed in an index that outlives the process; in any other one there is nothing to do.</summary>
/// <remarks>The bucket's lock is held from the note to its end. What is left after a kill is put right by <c>IntentRecovery</c>.</remarks>
internal static unsafe class Noting
{
    /// <summary>Notes that an entry goes.</summary>
    /// <param name="core">The table.</param>
    /// <param name="critical">The calling thread.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="added">By how much that changes what the table has.</param>
    /// <returns>The note, for <see cref="EndIntent"/>; null where none is needed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Intent* BeginDropIntent(this TableCore core, CriticalRegion critical, in LockedEntry entry, in BlockCount added) =>
        core.Intents == null ? null : core.BeginIntent(critical, 0, entry.Address, entry.Head.Version, ownsNew: false, added);

    /// <summary>Notes that an entry comes, in the place of another one or of none.</summary>
    /// <param name="core">The table.</param>
    /// <param name="critical">The calling thread.</param>
    /// <param name="newAddress">The block that the index is to lead to; 0: none.</param>
    /// <param name="oldAddress">The block that the index leads to now; 0: none.</param>
    /// <param name="oldVersion">The version of that one.</param>
    /// <param name="ownsNew">Whether the object that the new entry leads to was made for it.</param>
    /// <param name="added">By how much it changes what the table has.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static Intent* BeginIntent(
        this TableCore core, CriticalRegion critical, ulong newAddress, ulong oldAddress, ulong oldVersion, bool ownsNew,
        in BlockCount added)
    {
        Intent* intent = core.Intents!.Take(critical);
        intent->NewAddress = newAddress;
        intent->OldAddress = oldAddress;
        intent->OldVersion = oldVersion;
        int cell = core.Counters.Begin(critical);
        BlockCount before = core.Counters.In(cell);
        intent->Entries = before.Entries;
        intent->FootprintBytes = before.FootprintBytes;
        intent->PayloadBytes = before.PayloadBytes;
        intent->FootprintBytesAdded = (int)added.FootprintBytes;
        intent->PayloadBytesAdded = (int)added.PayloadBytes;
        IntentLog.Publish(intent, Intent.WordOf(core.Id, cell, (int)added.Entries, ownsNew));
        return intent;
    }

    /// <summary>States that a noted change is made, or that nothing of it was.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void EndIntent(this TableCore core, Intent* intent)
    {
        if (intent == null)
            return;
        int cell = intent->Cell;
        core.Intents!.End(intent);
        core.Counters.End(cell);
    }

    /// <summary>What is counted of an entry.</summary>
    internal static BlockCount CountOf(this TableCore core, in LockedEntry entry) =>
        entry.Head.Kind == ValueKind.Tombstone ? default : core.CountOf(entry.PayloadBytes);

    /// <summary>What is counted of an entry with a payload.</summary>
    internal static BlockCount CountOf(this TableCore core, long payloadBytes) =>
        new(1, core.Pile.Blocks.FootprintBytesOf(payloadBytes), payloadBytes);
}
