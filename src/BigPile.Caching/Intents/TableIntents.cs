using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Intents;

/// <summary>Logs the intent of each change to a persistent index, with the counters that it changes.</summary>
/// <remarks>
/// The bucket's lock is held from begin to end of an intent. After a kill, <c>IntentRecovery</c> completes or undoes what is left. For an
/// index in process memory there is no log, and nothing to do.
/// </remarks>
internal sealed unsafe class TableIntents(IntentLog? log, TableCounters counters, int tableId)
{
    /// <summary>Whether changes are logged: the index outlives the process.</summary>
    internal bool AreLogged => log != null;

    /// <summary>Logs that an entry will be removed.</summary>
    /// <param name="critical">The critical region of the calling thread.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="added">The change of the table's counters.</param>
    /// <returns>The intent, for <see cref="End"/>; null where none is needed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Intent* BeginDrop(CriticalRegion critical, in LockedEntry entry, in BlockCount added) =>
        log == null ? null : BeginLogged(critical, 0, entry.Address, entry.Head.Version, ownsNew: false, added);

    /// <summary>Logs that an entry will be inserted, or will replace another one.</summary>
    /// <param name="critical">The critical region of the calling thread.</param>
    /// <param name="newAddress">The block that the slot will point to; 0: none.</param>
    /// <param name="oldAddress">The block that the slot points to now; 0: none.</param>
    /// <param name="oldVersion">The version of the old block's entry.</param>
    /// <param name="ownsNew">Whether the new entry's object was made for it, and goes with it.</param>
    /// <param name="added">The change of the table's counters.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Intent* Begin(
        CriticalRegion critical, ulong newAddress, ulong oldAddress, ulong oldVersion, bool ownsNew, in BlockCount added) =>
        log == null ? null : BeginLogged(critical, newAddress, oldAddress, oldVersion, ownsNew, added);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Intent* BeginLogged(
        CriticalRegion critical, ulong newAddress, ulong oldAddress, ulong oldVersion, bool ownsNew, in BlockCount added)
    {
        Intent* intent = log!.Take(critical, newAddress, oldAddress, oldVersion, added);
        int cell = counters.Begin(critical); // a shared one is locked until End
        BlockCount before = counters.In(cell);
        intent->Entries = before.Entries;
        intent->FootprintBytes = before.FootprintBytes;
        intent->PayloadBytes = before.PayloadBytes;
        // One store with release makes it valid, after all other words. Each store of the change comes later.
        IntentLog.Publish(intent, Intent.WordOf(tableId, cell, (int)added.Entries, ownsNew));
        return intent;
    }

    /// <summary>Ends an intent: the change was made completely, or not at all.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void End(Intent* intent)
    {
        if (intent == null)
            return;
        int cell = intent->Cell; // before End: another thread may take a shared intent
        log!.End(intent);
        counters.End(cell);
    }
}
