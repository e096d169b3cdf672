using System;

namespace BigPile.Allocation;

/// <summary>Segments that were found in a directory. The contents of their used pages are unknown until each is recovered.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Pages that were in use when the pile was opened and are not recovered yet.</summary>
    internal long UnrecoveredPages { get; private set; }

    /// <summary>Pages that can't be used, because their page word is damaged.</summary>
    internal long LostPages { get; private set; }

    /// <summary>Gives the generation above which a page has to be laid out; set after a power cut, before the pool is used.</summary>
    internal Func<Segment, int, uint>? GenerationAbove
    {
        get => _suspects.GenerationAbove;
        set => _suspects.GenerationAbove = value;
    }

    /// <summary>Free pages that have to be searched before they are used.</summary>
    internal long SuspectPages => _suspects.Count;

    /// <summary>Makes the pool own a segment's memory before its pages are scanned, so that it is freed in any case.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="isShared">
    /// Another process writes the segment, and may replace it by one of the same number. It is then found through the pool only, where one
    /// store replaces it, and not through the map.
    /// </param>
    internal void Hold(Segment segment, bool isShared)
    {
        lock (_lock)
        {
            _segments.Add(segment, isShared);
            _free.AddSegment(segment);
        }
    }

    /// <summary>Adds the result of scanning a segment's page words. The pool is not used yet.</summary>
    /// <param name="segment">A segment that was held before.</param>
    /// <param name="unrecoveredPages">Its pages that are in use.</param>
    /// <param name="lostPages">Its pages that are damaged.</param>
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

    /// <summary>Searches the suspect pages among some free pages.</summary>
    /// <returns>How many it searched.</returns>
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

    /// <summary>Records that a block of a lost layout was at an address: later blocks there get a higher generation.</summary>
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

    /// <summary>Moves a page of slots from the unrecovered pages to the heaps' pages.</summary>
    internal void CountRecovered(PageMeta* page)
    {
        lock (_lock)
        {
            UnrecoveredPages--;
            _slots.CountRecovered(page);
        }
    }

    /// <summary>Frees a recovered page of slots without a live block.</summary>
    internal void FreeRecovered(PageMeta* page)
    {
        lock (_lock)
        {
            UnrecoveredPages--;
            _slots.FreeFound(page);
        }
    }

    /// <summary>Adds a recovered run with a live block.</summary>
    internal void AddRecoveredRun(PageMeta* meta, int pages, long payloadBytes)
    {
        lock (_lock)
        {
            UnrecoveredPages -= pages;
            _runs.AddFound(meta, pages, payloadBytes, isFlushed: TracksFlushed);
        }
    }

    /// <summary>Adds a recovered run whose deletion is not known to be durable.</summary>
    internal void AddPendingFreeRun(PageMeta* meta, int pages)
    {
        lock (_lock)
        {
            UnrecoveredPages -= pages;
            _runs.AddPendingFree(meta, pages);
        }
    }

    /// <summary>Frees the pages of a recovered run without a block.</summary>
    internal void FreeRecoveredRun(PageMeta* meta, int pages)
    {
        lock (_lock)
        {
            UnrecoveredPages -= pages;
            _runs.FreeFound(meta, pages);
        }
    }

    /// <summary>
    /// Removes a segment that its writer, another process, has given back. Its memory stays for readers in a critical region.
    /// </summary>
    internal void Drop(Segment segment)
    {
        lock (_lock)
            _segments.Drop(segment);
    }

    /// <summary>The segments that were dropped since the last call. The caller frees them after quiescence.</summary>
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
