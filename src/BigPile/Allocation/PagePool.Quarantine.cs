using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Runs that were flushed: freed, they stay as they are until their end is flushed too.</summary>
internal sealed unsafe partial class PagePool
{
    private readonly List<ulong> _quarantine = [];

    /// <summary>Pages of runs in quarantine.</summary>
    internal long QuarantinedPages { get; private set; }

    /// <summary>Whether it is known of each block whether it is frozen: in mapped piles.</summary>
    internal bool KnowsFrozen => Changes != null;

    /// <summary>Takes the runs that were put into quarantine since the last call.</summary>
    internal void TakeQuarantine(Quarantine quarantine)
    {
        lock (_lock)
        {
            quarantine.Runs.AddRange(_quarantine);
            _quarantine.Clear();
        }
    }

    /// <summary>States that a run is in the state that a flush looks at.</summary>
    internal void FreezeRun(PageMeta* meta)
    {
        lock (_lock)
            meta->IsRunFrozen = true;
    }

    /// <summary>Frees a run whose end is durable.</summary>
    internal void ReleaseRun(PageMeta* meta)
    {
        lock (_lock)
        {
            Segment segment = SegmentOf(meta);
            int first = PageIn(segment, meta);
            int pages = segment.WordOf(first).RunPages;
            // thawed before if it was leased as well
            Debug.Assert(new BlockHeader(*(ulong*)meta->Start).IsFree, "A run that is not in quarantine.");
            meta->IsRunFrozen = false;
            SettleFree(meta->Start);
            QuarantinedPages -= pages;
            for (int page = first; page < first + pages; page++)
                FreeLocked(segment, page);
        }
    }

    /// <summary>Settles the header of a run that is leased: it goes through <see cref="ReturnRun"/> yet.</summary>
    internal void SettleRun(PageMeta* meta)
    {
        lock (_lock)
        {
            _ = SettleFree(meta->Start);
            meta->IsRunFrozen = false;
        }
    }

    /// <summary>Stores the plain header of a slot that is free for good.</summary>
    internal static uint SettleFree(byte* block)
    {
        uint generation = new BlockHeader(*(ulong*)block).Generation;
        Volatile.Write(ref *(ulong*)block, BlockHeader.Free(generation).Word);
        return generation;
    }

    private void QuarantineRunLocked(PageMeta* meta, int pages)
    {
        QuarantinedPages += pages;
        _quarantine.Add(meta->FirstAddress);
    }
}
