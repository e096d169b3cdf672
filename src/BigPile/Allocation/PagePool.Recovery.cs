using System;

namespace BigPile.Allocation;

/// <summary>Segments that were found in a directory. Their used pages are unknown until somebody examines them.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Pages in use that nobody has examined since the pile was opened.</summary>
    internal long UnrecoveredPages { get; private set; }

    /// <summary>Pages that can't be used any more, because what they say of themselves is damaged.</summary>
    internal long LostPages { get; private set; }

    /// <summary>Says above which generation a page has to be laid out; set after a power cut, before anybody uses the pool.</summary>
    internal Func<Segment, int, uint>? GenerationAbove
    {
        get => _suspects.GenerationAbove;
        set => _suspects.GenerationAbove = value;
    }

    /// <summary>Free pages that were not searched yet.</summary>
    internal long SuspectPages => _suspects.Count;

    /// <summary>Makes the pool the owner of a segment's memory before its pages are known, so that it is freed whatever happens.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="isShared">
    /// Another process writes it, and may replace it by one of the same number: it is found through the pool alone, which changes by one
    /// store.
    /// </param>
    internal void Hold(Segment segment, bool isShared)
    {
        lock (_lock)
        {
            _segments.Add(segment, isShared);
            _free.AddSegment(segment);
        }
    }

    /// <summary>Takes in what a segment's page words say. Nobody else uses the pool yet.</summary>
    /// <param name="segment">A segment that was held before.</param>
    /// <param name="unrecoveredPages">Pages of it that are in use.</param>
    /// <param name="lostPages">Pages of it that are damaged.</param>
    internal void AddScanned(Segment segment, long unrecoveredPages, long lostPages)
    {
        lock (_lock)
        {
            _free.AddScanned(segment);
            _suspects.AddScanned(segment);
            UnrecoveredPages += unrecoveredPages;
            LostPages += lostPages;
        }
    }

    /// <summary>Searches those of some free pages that were not searched yet.</summary>
    /// <returns>How many these were.</returns>
    internal int SearchSuspects(Segment segment, int first, int end)
    {
        int count = 0;
        for (int page = first; page < end; page++)
        {
            lock (_lock)
            {
                if (_suspects.TrySearchFree(segment, page))
                    count++;
            }
        }
        return count;
    }

    /// <summary>Notes that a block of a lost layout was at an address: no later one there may be taken for it.</summary>
    internal void RecordLostBlock(ulong address, uint generation)
    {
        lock (_lock)
        {
            if (_segments.Find(address) is not { } segment)
                return;
            PageMeta* meta = segment.Metas + segment.PageOf(address);
            meta->MaxGeneration = Math.Max(meta->MaxGeneration, Math.Min(generation + 1, PilePointer.MaxGeneration));
        }
    }

    /// <summary>States that a page of slots is in a heap's care from now on.</summary>
    internal void CountRecovered(PageMeta* page)
    {
        lock (_lock)
        {
            UnrecoveredPages--;
            _slots.CountRecovered(page);
        }
    }

    /// <summary>Frees a page of slots that turned out to be empty.</summary>
    internal void FreeRecovered(PageMeta* page)
    {
        lock (_lock)
        {
            UnrecoveredPages--;
            _slots.FreeFound(page);
        }
    }

    /// <summary>Takes in a run that was found live.</summary>
    internal void AddRecoveredRun(PageMeta* meta, int pages, long payloadBytes)
    {
        lock (_lock)
        {
            UnrecoveredPages -= pages;
            _runs.AddFound(meta, pages, payloadBytes, isFlushed: TracksFlushed);
        }
    }

    /// <summary>Takes in a run that was freed, and whose end was not flushed.</summary>
    internal void AddPendingFreeRun(PageMeta* meta, int pages)
    {
        lock (_lock)
        {
            UnrecoveredPages -= pages;
            _runs.AddPendingFree(meta, pages);
        }
    }

    /// <summary>Frees the pages of a run that turned out to hold nothing.</summary>
    internal void FreeRecoveredRun(PageMeta* meta, int pages)
    {
        lock (_lock)
        {
            UnrecoveredPages -= pages;
            _runs.FreeFound(meta, pages);
        }
    }

    /// <summary>Takes a segment away from readers, which another process has given back. It stays until those inside have left.</summary>
    internal void Drop(Segment segment)
    {
        lock (_lock)
            _segments.Drop(segment);
    }

    /// <summary>The segments that were dropped since the last call. They are the caller's to free once no reader can be inside.</summary>
    internal Segment[] TakeDropped()
    {
        lock (_lock)
            return _segments.TakeDropped();
    }

    /// <summary>How many segments were dropped and not freed yet.</summary>
    internal int DroppedCount
    {
        get
        {
            lock (_lock)
                return _segments.DroppedCount;
        }
    }
}
