namespace BigPile.Allocation;

/// <summary>Runs that were flushed: freed, they stay as they are until their end is flushed too.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Pages of runs in quarantine.</summary>
    internal long PendingFreePages => _runs.PendingFreePages;

    /// <summary>Takes the runs that were put into quarantine since the last call.</summary>
    internal void TakePendingFrees(PendingFrees pending)
    {
        lock (_lock)
            _runs.TakePendingFrees(pending);
    }

    /// <summary>States that a run is in the state that a flush looks at.</summary>
    internal void MarkRunFlushed(PageMeta* meta)
    {
        lock (_lock)
            meta->IsRunFlushed = true;
    }

    /// <summary>Frees a run whose end is durable.</summary>
    internal void ReleaseRun(PageMeta* meta)
    {
        lock (_lock)
            _runs.Release(meta);
    }

    /// <summary>Stores the plain header of a run that is free for good, and leased: it goes through <see cref="ReturnRun"/> yet.</summary>
    internal void ClearRunFlushed(PageMeta* meta)
    {
        lock (_lock)
            _runs.ClearFlushed(meta);
    }

    /// <summary>Stores the plain header of a slot that is free for good.</summary>
    internal static uint StorePlainFree(byte* block) => Runs.StorePlainFree(block);
}
