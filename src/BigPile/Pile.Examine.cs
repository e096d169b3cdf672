using System;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile;

/// <summary>Examining the pages that were found when a mapped pile was opened.</summary>
public sealed unsafe partial class Pile
{
    private const int PagesPerVisit = 16;

    /// <summary>What was found damaged since the pile was opened.</summary>
    internal FaultLog Faults => _directory?.Faults ?? NoFaults;

    internal long OrphanCount => _examiner?.OrphanCount ?? 0;

    internal long UnexaminedBytes => _allocator.Pool.UnexaminedPages * SizeClasses.PageBytes;

    private static FaultLog NoFaults { get; } = new();

    /// <summary>Examines those of some pages that nobody has examined yet.</summary>
    /// <returns>How many these were.</returns>
    internal int ExaminePages(Segment segment, int first, int end)
    {
        ThreadPresence presence = Enter();
        try
        {
            int count = 0;
            for (int page = first; page < end; page++)
                count += ExaminePage(_map.AddressOf(segment.Number) + (ulong)page * UnitsPerPage);
            return count;
        }
        finally
        {
            Exit(presence);
        }
    }

    /// <summary>Examines all pages that nobody has examined yet. The caller is outside of all calls.</summary>
    private void ExamineAll()
    {
        foreach (Segment segment in _allocator.Pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount && UnexaminedBytes != 0; page += PagesPerVisit)
                _ = ExaminePages(segment, page, Math.Min(page + PagesPerVisit, segment.PageCount));
        }
        foreach (Segment segment in _allocator.Pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount && _allocator.Pool.SuspectPages != 0; page += PagesPerVisit)
                _ = SearchPages(segment, page, Math.Min(page + PagesPerVisit, segment.PageCount));
        }
    }

    /// <summary>Searches those of some free pages that a power cut may have left blocks in.</summary>
    /// <returns>How many these were.</returns>
    internal int SearchPages(Segment segment, int first, int end)
    {
        ThreadPresence presence = Enter();
        try
        {
            return _allocator.Pool.IsInUse(segment) ? _allocator.Pool.SearchSuspects(segment, first, end) : 0;
        }
        finally
        {
            Exit(presence);
        }
    }

    /// <summary>Asks the system to read a segment ahead, unless it was given back.</summary>
    internal void AdviseToRead(Segment segment)
    {
        ThreadPresence presence = Enter();
        try
        {
            if (_allocator.Pool.IsInUse(segment))
                (segment.Region as MappedRegion)?.ReadAhead(0, segment.Region.LengthBytes);
        }
        finally
        {
            Exit(presence);
        }
    }

    private int ExaminePage(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* infoAt);
        if (start == null || !SegmentMap.Load(infoAt).IsUnexamined)
            return 0;
        ReadAhead(start);
        _examiner!.Examine(address);
        return 1;
    }

    // A cold page is sixteen faults: they are taken before the page's lock is.
    private static void ReadAhead(byte* page)
    {
        for (int offset = 0; offset < SizeClasses.PageBytes; offset += 4096)
            _ = System.Threading.Volatile.Read(ref page[offset]);
    }

    /// <summary>Has the page of an address examined, if that is why nothing was found there.</summary>
    private bool IsExaminedNow(PageInfo info, ulong address)
    {
        if (!info.IsUnexamined)
            return false;
        _examiner!.Examine(address);
        return true;
    }
}
