using BigPile.Memory;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>The end of a search for room: whether there was an instant at which there was none.</summary>
/// <remarks>
/// A search goes from place to place, and others take and free behind it: what it has seen full may be free when it sees the next one full.
/// So nobody is refused before all heaps and the pool were looked at with all their locks held.
/// </remarks>
internal sealed unsafe partial class Allocator
{
    /// <summary>
    /// Whether there is a slot of a class, or a page for one. Empty pages that heaps keep for other classes are given up for it.
    /// </summary>
    private bool HasRoom(int sizeClass)
    {
        EnterHeaps();
        try
        {
            foreach (Heap heap in _heaps)
            {
                if (heap.HasSlotLocked(sizeClass))
                    return true;
            }
            GiveUpEmptyPagesLocked();
            return Pool.HasFreePage();
        }
        finally
        {
            ExitHeaps();
        }
    }

    /// <summary>Takes a run where there may have to be given up for it what the heaps keep.</summary>
    private PageMeta* TakeRunOfAll(int pages, long payloadBytes)
    {
        EnterHeaps();
        try
        {
            GiveUpEmptyPagesLocked();
            return Pool.TakeRun(pages, payloadBytes, mayGrow: false);
        }
        finally
        {
            ExitHeaps();
        }
    }

    private void GiveUpEmptyPagesLocked()
    {
        foreach (Heap heap in _heaps)
        {
            for (int sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
            {
                PageMeta* page = heap.GiveUpEmptyLocked(sizeClass);
                if (page != null)
                    ReturnPage(page);
            }
        }
    }

    private void EnterHeaps()
    {
        foreach (Heap heap in _heaps)
            heap.EnterLock();
    }

    private void ExitHeaps()
    {
        foreach (Heap heap in _heaps)
            heap.ExitLock();
    }

    private PileException Full(long blockBytes, int look)
    {
        if (Pool.GrowthFailure is DirectoryChangedException changed)
            return new PileStorageException(changed.Message, changed); // room is not what is missing
        long quarantinedBytes = QuarantinedBytes;
        if (quarantinedBytes != 0)
            QuarantineOverfull?.Invoke(); // who can't flush here and now finds room soon
        string reason = quarantinedBytes != 0
            ? $"{quarantinedBytes:N0} of them were freed and can be used again after the next flush"
            : Pool.GrowthFailure is { } failure
            ? $"the store could not grow: {failure.Message}"
            : $"the limit is {_limitBytes:N0} bytes. Raise PileOptions.MaxBytes, or delete objects";
        string message = $"No room for a block of {blockBytes:N0} bytes: {Pool.ReservedBytes:N0} bytes are reserved, and {reason}.";
        return new PileFullException(message, Pool.GrowthFailure) { LookedAt = look };
    }
}
