using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tables;

/// <summary>Whether the table may hold entries that can expire or be removed by tag: without them a sweep has nothing to do.</summary>
/// <remarks>
/// Memory ordering: a put sets the flags with two plain stores and loads, under its bucket's lock; the sweep pays for the fence with a
/// process-wide barrier. Either the sweep sees the put's flag, or the put sees that the sweep cleared it, and sets it again.
/// </remarks>
internal sealed partial class TableCore
{
    private bool _hasExpirables;
    private bool _hadExpirable;

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
        Interlocked.MemoryBarrierProcessWide();
        if (HadExpirable)
            HasExpirables = true;
    }
}
