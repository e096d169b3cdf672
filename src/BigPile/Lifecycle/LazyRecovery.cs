using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Lifecycle;

/// <summary>Has the pages examined that were found when a mapped pile was opened. Of any other pile there are none.</summary>
/// <param name="barrier">Who is inside.</param>
/// <param name="map">Where pages are.</param>
/// <param name="pool">The segments.</param>
/// <param name="pageRecovery">Examines; none of a pile in memory.</param>
/// <param name="faults">What was found damaged since the pile was opened.</param>
internal sealed unsafe class LazyRecovery(OperationBarrier barrier, SegmentMap map, PagePool pool, PageRecovery? pageRecovery, FaultLog faults)
{
    private const int PagesPerVisit = 16;
    private const ulong UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    /// <summary>What was found damaged since the pile was opened.</summary>
    internal FaultLog Faults => faults;

    /// <summary>Payloads without an object, which a kill had left, and which were freed.</summary>
    internal long OrphanCount => pageRecovery?.OrphanCount ?? 0;

    /// <summary>Payloads behind links that were found.</summary>
    internal long LinkCount => pageRecovery?.LinkCount ?? 0;

    /// <summary>Bytes of pages that nobody has examined yet.</summary>
    internal long UnrecoveredBytes => pool.UnrecoveredPages * SizeClasses.PageBytes;

    /// <summary>Examines those of some pages that nobody has examined yet.</summary>
    /// <returns>How many these were.</returns>
    internal int RecoverPages(Segment segment, int first, int end)
    {
        Debug.Assert(first >= segment.HeadPages && end <= segment.PageCount, "The pages are the segment's, and none of its head.");
        CriticalRegion critical = barrier.EnterReader();
        try
        {
            int count = 0;
            for (int page = first; page < end; page++)
                count += RecoverPage(segment, page);
            return count;
        }
        finally
        {
            critical.Exit();
            GC.KeepAlive(this);
        }
    }

    /// <summary>Examines a page if nobody has; the caller is inside the pile.</summary>
    /// <returns>How many pages that were.</returns>
    internal int RecoverPage(Segment segment, int page)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "The segment stays mapped only while the caller is inside.");
        ulong address = map.AddressOf(segment.Number) + (ulong)page * UnitsPerPage;
        byte* start = map.Find(address, out PageInfo* infoAt);
        if (start == null || !SegmentMap.Load(infoAt).IsUnrecovered)
            return 0;
        PageRecovery.ReadAhead(start);
        pageRecovery!.RecoverPage(address);
        return 1;
    }

    /// <summary>Examines all pages that nobody has examined yet. The caller is outside of all calls.</summary>
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

    /// <summary>Searches those of some free pages that a power cut may have left blocks in.</summary>
    /// <returns>How many these were.</returns>
    internal int SearchPages(Segment segment, int first, int end)
    {
        Debug.Assert(first >= segment.HeadPages && end <= segment.PageCount, "The pages are the segment's, and none of its head.");
        CriticalRegion critical = barrier.EnterReader();
        try
        {
            return pool.IsInUse(segment) ? pool.SearchSuspects(segment, first, end) : 0;
        }
        finally
        {
            critical.Exit();
            GC.KeepAlive(this);
        }
    }

    /// <summary>Asks the system to read a segment ahead, unless it was given back.</summary>
    internal void AdviseToRead(Segment segment)
    {
        CriticalRegion critical = barrier.EnterReader();
        try
        {
            if (pool.IsInUse(segment))
                (segment.Region as MappedRegion)?.ReadAhead(0, segment.Region.LengthBytes);
        }
        finally
        {
            critical.Exit();
            GC.KeepAlive(this);
        }
    }
}
