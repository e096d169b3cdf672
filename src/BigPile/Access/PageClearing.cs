using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Empties consecutive pages, to be laid out anew: for a block that no free slot and no free pages can hold.</summary>
/// <remarks>
/// As the slab rebalancing of memcached and CacheLib. Victims that a policy chooses lie scattered: in a pile of mixed sizes their slots fit
/// no block of another size class. A search looks at some pages from where the last one ended, and takes those that cost the fewest bytes.
/// Thread safety: all members may be called concurrently; the caller is outside of critical regions.
/// </remarks>
internal sealed unsafe class PageClearing(BlockStore blocks)
{
    private const int LeastChoice = 16; // windows to choose from
    private const int MostChoice = 256;
    private const int ChoiceOfUnits = 4;
    private const int AnyClass = -1;
    private const long Stays = long.MaxValue; // the cost of a page that can't be emptied

    private readonly Allocator _allocator = blocks.Allocator;
    private ulong _cursor; // an address: where the next search begins; any thread writes

    /// <summary>
    /// Evicts what lies in as many consecutive pages as a block needs; or, where all have something that stays, what may go from a page
    /// with slots of the block's size. For a block larger than a segment it empties segments.
    /// </summary>
    /// <param name="blockBytes">The block's size.</param>
    /// <param name="victims">Decides what may go, and evicts it.</param>
    /// <returns>
    /// <see langword="false"/> when nothing that would help may go. After <see langword="true"/> other threads may have taken the space.
    /// </returns>
    internal bool TryClear(long blockBytes, IPageVictims victims)
    {
        int pages = (int)((blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes);
        if (TryClearPages(Target.Of(pages), victims))
            return true;
        return blockBytes <= SizeClasses.MaxSlotBytes
            ? TryClearPages(Target.Of(1) with { SizeClass = SizeClasses.ClassOf((int)blockBytes) }, victims)
            : TryClearSegment(pages, victims);
    }

    /// <summary>Evicts what lies in the pages of a unit that can be withheld: see <see cref="WithheldPages"/>.</summary>
    /// <inheritdoc cref="TryClear"/>
    internal bool TryClearUnit(IPageVictims victims) =>
        TryClearPages(Target.Of(WithheldPages.UnitPages) with { Step = WithheldPages.UnitPages, Choice = ChoiceOfUnits }, victims);

    private bool TryClearSegment(int pages, IPageVictims victims)
    {
        int pagesOfSegment = (int)(blocks.Map.SegmentBytes / SizeClasses.PageBytes);
        if (pages <= pagesOfSegment - SegmentHead.PagesFor(pagesOfSegment))
            return false; // it needs none of its own
        int cleared = 0;
        foreach (Segment segment in _allocator.Pool.Segments())
        {
            var all = Target.Of(segment.PageCount - segment.HeadPages);
            if (cleared < pages && !segment.IsEmpty && TryClearIn(segment, segment.HeadPages, all, victims))
                cleared += all.Pages;
        }
        if (cleared != 0)
            blocks.Reclaimer.TrimQuietly(); // the pile grows by a larger one
        return cleared != 0;
    }

    private bool TryClearPages(Target target, IPageVictims victims)
    {
        Segment[] segments = _allocator.Pool.Segments();
        int first = Math.Max(0, Array.FindLastIndex(segments, segment => segment.FirstAddress <= Volatile.Read(ref _cursor)));
        for (int i = 0; i <= segments.Length; i++) // the first one again at the end: its beginning was left out
        {
            Segment segment = segments[(first + i) % segments.Length];
            int from = i == 0 ? segment.PageOf(Math.Max(segment.FirstAddress, Volatile.Read(ref _cursor))) : segment.HeadPages;
            if (TryClearIn(segment, Math.Max(from, segment.HeadPages), target, victims))
                return true;
        }
        return false;
    }

    private bool TryClearIn(Segment segment, int from, Target target, IPageVictims victims)
    {
        int first = (from + target.Step - 1) / target.Step * target.Step;
        for (int start = first; start + target.Pages <= segment.PageCount; start += target.Choice * target.Step)
        {
            int end = Math.Min(start + target.Pages + (target.Choice - 1) * target.Step, segment.PageCount);
            int window = FindWindow(segment, start, end, target, victims);
            if (window < 0)
                continue;
            Volatile.Write(ref _cursor, segment.AddressOfPage(window + target.Pages));
            Clear(segment, window, target, victims);
            return true;
        }
        return false;
    }

    // The first page of the cheapest window; -1 when each has a block that stays.
    private int FindWindow(Segment segment, int start, int end, Target target, IPageVictims victims)
    {
        using ReadScope scope = blocks.EnterReader();
        if (!_allocator.Pool.IsInUse(segment)) // its memory stays while this region is open
            return -1;
        var costs = new long[end - start];
        for (int page = start; page < end; page++)
            costs[page - start] = CostOf(segment, page, target, victims);
        int best = -1;
        long bestCost = Stays;
        for (int window = start; window + target.Pages <= end; window += target.Step)
        {
            long cost = segment.WordOf(window).IsRunTail ? Stays : Sum(costs.AsSpan(window - start, target.Pages));
            if (cost < bestCost)
                (best, bestCost) = (window, cost);
        }
        return best;
    }

    private static long Sum(ReadOnlySpan<long> costs)
    {
        long sum = 0;
        foreach (long cost in costs)
        {
            if (cost == Stays)
                return Stays;
            sum += cost;
        }
        return sum;
    }

    // Read without a lock: what has changed until the eviction is left out then, and the caller tries again.
    private static long CostOf(Segment segment, int page, Target target, IPageVictims victims)
    {
        PageWord word = segment.WordOf(page);
        if (target.IsPartial && !(word.HasSlots && word.SizeClass == target.SizeClass))
            return Stays;
        if (word.IsRunTail)
            return 0; // its head has the cost
        if (word.IsUnused)
            return segment.IsFreePage(page) ? 0 : Stays;
        PageInfo info = SegmentMap.Load(segment.Infos + page);
        if (info.IsUnrecovered)
            return Stays;
        long sum = 0;
        foreach (ulong address in new BlockAddresses(segment, page, info))
        {
            var header = new BlockHeader(Volatile.Read(ref *(ulong*)(segment.Region.Start + segment.OffsetOf(address))));
            if (header.IsFree)
                continue;
            long cost = header.Kind == BlockKind.TableEntry ? victims.CostOf(address) : -1;
            if (cost < 0 && !target.IsPartial)
                return Stays;
            sum += Math.Max(0, cost);
        }
        return target.IsPartial && sum == 0 ? Stays : sum;
    }

    private void Clear(Segment segment, int first, Target target, IPageVictims victims)
    {
        var isolated = new List<nint>(); // pages of slots: what is freed there is not taken again
        try
        {
            List<ulong> addresses = Collect(segment, first, target, isolated);
            foreach (ulong address in addresses)
                victims.Evict(address);
        }
        finally
        {
            foreach (nint page in isolated)
                _allocator.EndIsolation((PageMeta*)page);
        }
    }

    private List<ulong> Collect(Segment segment, int first, Target target, List<nint> isolated)
    {
        // In a mapped pile nothing is free before a flush, and then all of it at once.
        bool isolates = !target.IsPartial && !_allocator.Pool.TracksFlushed;
        var addresses = new List<ulong>();
        using ReadScope scope = blocks.EnterReader();
        if (!_allocator.Pool.IsInUse(segment))
            return addresses;
        for (int page = first; page < first + target.Pages; page++)
        {
            PageMeta* meta = segment.Metas + page;
            if (isolates && segment.WordOf(page).HasSlots && _allocator.TryIsolate(meta))
                isolated.Add((nint)meta);
            foreach (ulong address in new BlockAddresses(segment, page, SegmentMap.Load(segment.Infos + page)))
            {
                var header = new BlockHeader(Volatile.Read(ref *(ulong*)(segment.Region.Start + segment.OffsetOf(address))));
                if (header.Kind == BlockKind.TableEntry)
                    addresses.Add(address);
            }
        }
        return addresses;
    }

    /// <summary>What is to be emptied.</summary>
    /// <param name="Pages">How many pages.</param>
    /// <param name="SizeClass">The class of the slots that are to become free; <see cref="AnyClass"/>: whole pages are.</param>
    /// <param name="Step">Windows begin at a multiple of it.</param>
    /// <param name="Choice">How many windows there are to choose from.</param>
    private readonly record struct Target(int Pages, int SizeClass, int Step, int Choice)
    {
        internal bool IsPartial => SizeClass != AnyClass;

        internal static Target Of(int pages) => new(pages, AnyClass, Step: 1, Math.Clamp(pages, LeastChoice, MostChoice));
    }

    /// <summary>The addresses of the slots of a page.</summary>
    private ref struct BlockAddresses(Segment segment, int page, PageInfo info)
    {
        private readonly ulong _first = segment.AddressOfPage(page);
        private readonly ulong _step =
            info.ClassPlusOne == 0 ? 1 : (ulong)SizeClasses.SlotBytes(info.ClassPlusOne - 1) / SizeClasses.GranuleBytes;
        private int _next = -1;

        public readonly ulong Current => _first + (ulong)_next * _step;

        public readonly BlockAddresses GetEnumerator() => this;

        public bool MoveNext() => ++_next < info.SlotCount;
    }
}

/// <summary>What may go from pages that are emptied.</summary>
internal interface IPageVictims
{
    /// <summary>The bytes that evicting an entry costs; negative where it must stay. The caller is in a critical region.</summary>
    /// <param name="address">The entry; another thread may change it.</param>
    long CostOf(ulong address);

    /// <summary>Evicts an entry, unless it has gone, or must stay. The caller is outside of critical regions.</summary>
    void Evict(ulong address);
}
