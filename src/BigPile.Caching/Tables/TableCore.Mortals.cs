using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tables;

/// <summary>Whether sweeps have anything to look for.</summary>
/// <remarks>
/// Memory ordering: a put states what it brings under the lock of its bucket, by two plain stores and looks; the sweep's barriers are those
/// of the whole process. So either the sweep sees the statement, or the put sees what the sweep has cleared, and states it anew.
/// </remarks>
internal sealed partial class TableCore
{
    private bool _hasMortals;
    private bool _hadMortal;

    /// <summary>Whether entries may be there that are no more by time or tag.</summary>
    internal bool HasMortals
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _hasMortals);
        private set => Set(ref _hasMortals, IndexHead.MortalsFlag, value);
    }

    /// <summary>Whether such an entry, or a mark of a tag, has come since a sweep began a round.</summary>
    internal bool HadMortal => Volatile.Read(ref _hadMortal);

    /// <summary>States that an entry that may be no more by time or tag, or a mark, is in the table. Its line says so already.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void MarkExpirable()
    {
        if (!HadMortal)
            Volatile.Write(ref _hadMortal, true); // before the look at what a sweep may clear
        if (!HasMortals)
            HasMortals = true;
    }

    /// <summary>Begins a round of the sweep: whoever does not see that it has begun, and so notes nothing, is seen by the round.</summary>
    internal void BeginMortalsRound()
    {
        Volatile.Write(ref _hadMortal, false);
        Interlocked.MemoryBarrierProcessWide();
    }

    /// <summary>States that a round has found nothing mortal; what has come meanwhile counts.</summary>
    internal void EndMortalsRound()
    {
        HasMortals = false;
        Interlocked.MemoryBarrierProcessWide();
        if (HadMortal)
            HasMortals = true;
    }
}
