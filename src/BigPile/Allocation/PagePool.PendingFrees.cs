namespace BigPile.Allocation;

/// <summary>Flushed runs that were freed: they are not reused before a flush has made their deletion durable.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Pages of pending runs.</summary>
    internal long PendingFreePages => _runs.PendingFreePages;

    /// <summary>The pages that changed since the last snapshot, as far as no heap has listed them.</summary>
    internal int ChangedPageCount => _changed.Count;

    /// <summary>Begins a snapshot: what changed before it goes to <paramref name="taken"/>. No writer may run.</summary>
    internal void BeginSnapshot(int snapshot, PendingFrees taken)
    {
        lock (_lock)
        {
            _changed.Begin(snapshot, taken.Changed);
            _runs.TakePendingFrees(taken);
        }
    }

    /// <summary>Takes what changed before the last snapshot in a page that no heap owns.</summary>
    /// <returns><see langword="false"/> when a heap owns it by now.</returns>
    internal bool TryTakeChanges(Segment segment, PageMeta* page, int snapshot, PageChanges changes)
    {
        lock (_lock)
        {
            if (page->Owner != PageMeta.NoOwner)
                return false;
            changes.Take(segment, page, snapshot);
            return true;
        }
    }

    /// <summary>Frees a pending run whose deletion is durable.</summary>
    internal void ReleaseRun(PageMeta* meta)
    {
        lock (_lock)
            _runs.Release(meta);
    }

    /// <summary>Stores the plain free header of a leased run whose deletion is durable. <see cref="ReturnRun"/> frees it later.</summary>
    internal void ClearRunFlushed(PageMeta* meta)
    {
        lock (_lock)
            _runs.ClearFlushed(meta);
    }

    /// <summary>Stores the plain free header of a slot whose deletion is durable.</summary>
    internal static uint StorePlainFree(byte* block) => Runs.StorePlainFree(block);
}
