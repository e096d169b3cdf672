using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tables;

/// <summary>Whether the table may hold entries that can expire or be removed by tag: without them a sweep has nothing to do.</summary>
internal sealed partial class TableCore
{
    private bool _hasExpirables; // set by puts and marks; cleared by the sweep alone
    private bool _hadExpirable; // the same, since the round began

    /// <summary>Whether the table may hold entries that expire, or tag marks.</summary>
    internal bool HasExpirables
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _hasExpirables);
        private set => Set(ref _hasExpirables, IndexHead.ExpirablesFlag, value);
    }

    /// <summary>Whether such an entry or mark was added since the sweep's round began.</summary>
    internal bool HadExpirable => Volatile.Read(ref _hadExpirable);

    /// <summary>Records that such an entry or mark was added. The entry's line is marked already.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void MarkExpirable()
    {
        // A store, then a load, with no fence between: the sweep pays for it with the process-wide barrier of EndExpirablesRound. Either
        // the sweep sees this store, or this load sees that the sweep has cleared the flag.
        if (!HadExpirable)
            Volatile.Write(ref _hadExpirable, true); // before the check of what a sweep may clear
        if (!HasExpirables)
            HasExpirables = true;
    }

    /// <summary>Begins a round of the sweep. A put that does not see this, and so sets nothing, is seen by the round.</summary>
    internal void BeginExpirablesRound()
    {
        Volatile.Write(ref _hadExpirable, false);
        Interlocked.MemoryBarrierProcessWide();
    }

    /// <summary>Ends a round that met no such entry. What was added meanwhile counts.</summary>
    internal void EndExpirablesRound()
    {
        HasExpirables = false;
        // Pairs with MarkExpirable, as its store and load have no fence.
        Interlocked.MemoryBarrierProcessWide();
        if (HadExpirable)
            HasExpirables = true;
    }
}
