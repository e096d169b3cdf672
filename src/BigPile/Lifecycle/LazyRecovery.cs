using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Lifecycle;

/// <summary>Recovers the pages that were found when a mapped pile was opened. Other piles have none.</summary>
/// <param name="barrier">Admits operations.</param>
/// <param name="map">Maps addresses to memory.</param>
/// <param name="pool">The segments.</param>
/// <param name="pageRecovery">Recovers a page; null for a pile in memory.</param>
/// <param name="faults">The faults found since the pile was opened.</param>
internal sealed unsafe class LazyRecovery(
    OperationBarrier barrier, SegmentMap map, PagePool pool, PageRecovery? pageRecovery, FaultLog faults)
{
    private const int PagesPerVisit = 16; // 1 MiB in one critical region
    private const ulong UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    /// <summary>The faults found since the pile was opened.</summary>
    internal FaultLog Faults => faults;

    /// <summary>Payloads without an object, left by a kill, that were freed.</summary>
    internal long OrphanCount => pageRecovery?.OrphanCount ?? 0;

    /// <summary>Link targets found.</summary>
    internal long LinkCount => pageRecovery?.LinkCount ?? 0;

    /// <summary>Bytes of pages not recovered yet.</summary>
    internal long UnrecoveredBytes => pool.UnrecoveredPages * SizeClasses.PageBytes;

    /// <summary>Recovers the unrecovered ones of some pages.</summary>
    /// <returns>Their number.</returns>
    internal int RecoverPages(Segment segment, int first, int end)
    {
        Debug.Assert(first >= segment.HeadPages && end <= segment.PageCount, "The pages are the segment's, and none of its head.");
        using ReadScope scope = new ReadScope(barrier.EnterReader(), this);
        int count = 0;
        for (int page = first; page < end; page++)
            count += RecoverPage(segment, page);
        return count;
    }

    /// <summary>Recovers a page, if it is not recovered yet; the caller is in a critical region.</summary>
    /// <returns>The number of pages recovered: 1 or 0.</returns>
    internal int RecoverPage(Segment segment, int page)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The segment stays mapped only during the critical region.");
        ulong address = map.AddressOf(segment.Number) + (ulong)page * UnitsPerPage;
        byte* start = map.Find(address, out PageInfo* infoAt);
        if (start == null || !SegmentMap.Load(infoAt).IsUnrecovered)
            return 0;
        PageRecovery.ReadAhead(start); // before the page's lock is taken
        pageRecovery!.RecoverPage(address);
        return 1;
    }

    /// <summary>Recovers all remaining pages. The caller is outside of any critical region.</summary>
    internal void RecoverAll()
    {
        foreach (Segment segment in pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount && UnrecoveredBytes != 0; page += PagesPerVisit)
                _ = RecoverPages(segment, page, Math.Min(page + PagesPerVisit, segment.PageCount));
        }
        foreach (Segment segment in pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount && pool.SuspectPages != 0; page += PagesPerVisit)
                _ = SearchPages(segment, page, Math.Min(page + PagesPerVisit, segment.PageCount));
        }
    }

    /// <summary>Searches the suspect ones of some free pages for blocks that a power cut left.</summary>
    /// <returns>Their number.</returns>
    internal int SearchPages(Segment segment, int first, int end)
    {
        Debug.Assert(first >= segment.HeadPages && end <= segment.PageCount, "The pages are the segment's, and none of its head.");
        using ReadScope scope = new ReadScope(barrier.EnterReader(), this);
        return pool.IsInUse(segment) ? pool.SearchSuspects(segment, first, end) : 0;
    }

    /// <summary>Asks the system to read a segment ahead, unless it was trimmed.</summary>
    internal void AdviseToRead(Segment segment)
    {
        using ReadScope scope = new ReadScope(barrier.EnterReader(), this);
        if (pool.IsInUse(segment))
            (segment.Region as MappedRegion)?.ReadAhead(0, segment.Region.LengthBytes);
    }
}
