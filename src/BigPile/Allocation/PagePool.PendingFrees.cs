namespace BigPile.Allocation;

/// <summary>Flushed runs that were freed: they are not reused before a flush has made their deletion durable.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Pages of pending runs.</summary>
    internal long PendingFreePages => _runs.PendingFreePages;

    /// <summary>Moves the pending runs since the last call to <paramref name="pending"/>.</summary>
    internal void TakePendingFrees(PendingFrees pending)
    {
        lock (_lock)
            _runs.TakePendingFrees(pending);
    }

    /// <summary>Marks a run's block as flushed.</summary>
    internal void MarkRunFlushed(PageMeta* meta)
    {
        lock (_lock)
            meta->IsRunFlushed = true;
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
