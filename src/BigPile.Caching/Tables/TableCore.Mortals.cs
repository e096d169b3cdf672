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
    private bool _hasExpirables;
    private bool _hadExpirable;

    /// <summary>Whether entries may be there that are no more by time or tag.</summary>
    internal bool HasExpirables
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _hasExpirables);
        private set => Set(ref _hasExpirables, IndexHead.ExpirablesFlag, value);
    }

    /// <summary>Whether such an entry, or a mark of a tag, has come since a sweep began a round.</summary>
    internal bool HadExpirable => Volatile.Read(ref _hadExpirable);

    /// <summary>States that an entry that may be no more by time or tag, or a mark, is in the table. Its line says so already.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void MarkExpirable()
    {
        if (!HadExpirable)
            Volatile.Write(ref _hadExpirable, true); // before the look at what a sweep may clear
        if (!HasExpirables)
            HasExpirables = true;
    }

    /// <summary>Begins a round of the sweep: whoever does not see that it has begun, and so notes nothing, is seen by the round.</summary>
    internal void BeginExpirablesRound()
    {
        Volatile.Write(ref _hadExpirable, false);
        Interlocked.MemoryBarrierProcessWide();
    }

    /// <summary>States that a round has found nothing mortal; what has come meanwhile counts.</summary>
    internal void EndExpirablesRound()
    {
        HasExpirables = false;
        Interlocked.MemoryBarrierProcessWide();
        if (HadExpirable)
            HasExpirables = true;
    }
}
