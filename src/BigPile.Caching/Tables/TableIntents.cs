using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Logs the intent of each change to a persistent index. A no-op for an index in process memory.</summary>
/// <remarks>
/// The bucket's lock is held from begin to end of an intent. After a kill, <c>IntentRecovery</c> completes or undoes what is left.
/// </remarks>
internal static unsafe class TableIntents
{
    /// <summary>Logs that an entry will be removed.</summary>
    /// <param name="core">The table.</param>
    /// <param name="critical">The critical region of the calling thread.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="added">The change of the table's counters.</param>
    /// <returns>The intent, for <see cref="EndIntent"/>; null where none is needed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Intent* BeginDropIntent(this TableCore core, CriticalRegion critical, in LockedEntry entry, in BlockCount added) =>
        core.Intents == null ? null : core.BeginIntent(critical, 0, entry.Address, entry.Head.Version, ownsNew: false, added);

    /// <summary>Logs that an entry will be inserted, or will replace another one.</summary>
    /// <param name="core">The table.</param>
    /// <param name="critical">The critical region of the calling thread.</param>
    /// <param name="newAddress">The block that the slot will point to; 0: none.</param>
    /// <param name="oldAddress">The block that the slot points to now; 0: none.</param>
    /// <param name="oldVersion">The version of the old block's entry.</param>
    /// <param name="ownsNew">Whether the new entry's object was made for it, and goes with it.</param>
    /// <param name="added">The change of the table's counters.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static Intent* BeginIntent(
        this TableCore core, CriticalRegion critical, ulong newAddress, ulong oldAddress, ulong oldVersion, bool ownsNew,
        in BlockCount added)
    {
        Intent* intent = core.Intents!.Take(critical);
        intent->NewAddress = newAddress;
        intent->OldAddress = oldAddress;
        intent->OldVersion = oldVersion;
        int cell = core.Counters.Begin(critical); // a shared one is locked until EndIntent
        BlockCount before = core.Counters.In(cell);
        intent->Entries = before.Entries;
        intent->FootprintBytes = before.FootprintBytes;
        intent->PayloadBytes = before.PayloadBytes;
        intent->FootprintBytesAdded = (int)added.FootprintBytes;
        intent->PayloadBytesAdded = (int)added.PayloadBytes;
        // One store with release makes it valid, after all other words. Each store of the change comes later.
        IntentLog.Publish(intent, Intent.WordOf(core.Id, cell, (int)added.Entries, ownsNew));
        return intent;
    }

    /// <summary>Ends an intent: the change was made completely, or not at all.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void EndIntent(this TableCore core, Intent* intent)
    {
        if (intent == null)
            return;
        int cell = intent->Cell; // before End: another thread may take a shared intent
        core.Intents!.End(intent);
        core.Counters.End(cell);
    }

    /// <summary>What an entry adds to the counters.</summary>
    internal static BlockCount CountOf(this TableCore core, in LockedEntry entry) =>
        entry.Head.Kind == ValueKind.Tombstone ? default : core.CountOf(entry.PayloadBytes);

    /// <summary>What an entry with this payload adds to the counters.</summary>
    internal static BlockCount CountOf(this TableCore core, long payloadBytes) =>
        new(1, core.Pile.Blocks.FootprintBytesOf(payloadBytes), payloadBytes);
}
