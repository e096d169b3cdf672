using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
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
    private const int ChoiceOfGroups = 4;
    private const int AnyClass = -1;
    private const int FewPages = 1024; // that a search looks at when the last one looked at all of them in vain
    private const long Stays = long.MaxValue; // the cost of a page that can't be emptied
    private const long Unknown = -1;

    private readonly Allocator _allocator = blocks.Allocator;
    private ulong _cursor; // an address: where the next search begins; any thread writes
    private ulong _lastingCursor; // as before, in groups for blocks that stay
    private int _pagesInVain = int.MaxValue; // so many in a row could not be emptied anywhere; any thread writes
    private int _groupsInVain = int.MaxValue; // as before, in whole groups

    /// <summary>Evicts what lies in as many consecutive pages as a block needs. For a block larger than a segment it empties segments.</summary>
    /// <param name="blockBytes">The block's size.</param>
    /// <param name="isEvictable">Whether it may be evicted itself; if not, it gets pages of a group where others stay.</param>
    /// <param name="victims">Decides what may go, and evicts it.</param>
    /// <returns>
    /// <see langword="false"/> when nothing that would help may go. After <see langword="true"/> other threads may have taken the space.
    /// </returns>
    internal bool TryClear(long blockBytes, bool isEvictable, IPageVictims victims)
    {
        int pages = PagesOf(blockBytes);
        bool isLasting = !isEvictable && _allocator.Pool.Separates;
        if (isLasting && (TryClearPartly(blockBytes, areGuests: true, victims) || TryClearLasting(pages, victims)))
            return true;
        return TryClearPages(Target.Of(pages), victims, isLasting) || TryClearSegment(pages, victims);
    }

    /// <summary>Whether the last search for so many bytes looked at all pages, and none since has found any.</summary>
    internal bool IsInVain(long blockBytes) => PagesOf(blockBytes) >= Volatile.Read(ref _pagesInVain);

    /// <summary>Evicts what may go from a page with slots of a block's size, beside what stays there.</summary>
    /// <inheritdoc cref="TryClear"/>
    internal bool TryClearSlots(long blockBytes, IPageVictims victims) => TryClearPartly(blockBytes, areGuests: false, victims);

    /// <summary>Evicts what lies in the pages of a unit that can be withheld: see <see cref="WithheldPages"/>.</summary>
    /// <inheritdoc cref="TryClear"/>
    internal bool TryClearUnit(IPageVictims victims) => TryClearPages(Target.OfGroup, victims);

    private bool TryClearPartly(long blockBytes, bool areGuests, IPageVictims victims) =>
        blockBytes <= SizeClasses.MaxSlotBytes
        && TryClearPages(Target.Of(1) with { SizeClass = SizeClasses.ClassOf((int)blockBytes), AreGuests = areGuests }, victims);

    // First pages that others have in groups for blocks that stay, then another group: so that there are no more of these than necessary.
    private bool TryClearLasting(int pages, IPageVictims victims)
    {
        Target target = Target.Of(pages) with { IsInLasting = true, Choice = Segment.GroupPages };
        if (TryFind(target, victims, out Segment? segment, out int first))
        {
            // The lowest ones, so that the last groups become empty; but not one again and again that a block stays in for a while.
            bool isEmptied = TryEmpty(segment, first, target, victims);
            Volatile.Write(ref _lastingCursor, isEmptied ? 0 : segment.AddressOfPage(first + pages));
            if (isEmptied)
                return true;
        }
        Target group = Target.OfGroup with { IsWithHead = true };
        if (!TryFind(group, victims, out segment, out first))
            return false;
        _allocator.Pool.Reserve(segment, first, Segment.GroupPages);
        _ = TryEmpty(segment, Math.Max(first, segment.HeadPages), target, victims);
        return true;
    }

    private bool TryClearSegment(int pages, IPageVictims victims)
    {
        int pagesOfSegment = (int)(blocks.Map.SegmentBytes / SizeClasses.PageBytes);
        if (pages <= pagesOfSegment - SegmentHead.PagesFor(pagesOfSegment))
            return false; // it needs none of its own
        int cleared = 0;
        foreach (Segment segment in _allocator.Pool.Segments())
        {
            var all = Target.Of(segment.PageCount - segment.HeadPages);
            if (cleared >= pages || segment.IsEmpty || FindIn(segment, segment.HeadPages, segment.PageCount, all, victims) < 0)
                continue;
            _ = TryEmpty(segment, segment.HeadPages, all, victims);
            cleared += all.Pages;
        }
        if (cleared != 0)
            blocks.Reclaimer.TrimQuietly(); // the pile grows by a larger one
        return cleared != 0;
    }

    private bool TryClearPages(Target target, IPageVictims victims, bool reserves = false)
    {
        if (!TryFind(target, victims, out Segment? segment, out int window))
            return false;
        if (reserves)
            _allocator.Pool.Reserve(segment, window, target.Pages);
        _ = TryEmpty(segment, window, target, victims);
        return true;
    }

    private bool TryFind(Target target, IPageVictims victims, [NotNullWhen(true)] out Segment? segment, out int window)
    {
        ref int inVain = ref target.Step == 1 ? ref _pagesInVain : ref _groupsInVain;
        bool isInVain = target.IsAnywhere && target.Pages >= Volatile.Read(ref inVain);
        long left = isInVain ? FewPages + target.Pages : long.MaxValue;
        Segment[] segments = _allocator.Pool.Segments();
        ulong cursor = Volatile.Read(ref target.IsInLasting ? ref _lastingCursor : ref _cursor);
        int first = Math.Max(0, Array.FindLastIndex(segments, segment => segment.FirstAddress <= cursor));
        int searches = segments.Length == 0 ? 0 : segments.Length + 1; // the first one again at the end: its beginning was left out
        for (int i = 0; i < searches && left > 0; i++)
        {
            segment = segments[(first + i) % segments.Length];
            int least = target.IsWithHead ? 0 : segment.HeadPages;
            int from = Math.Max(least, i == 0 ? segment.PageOf(Math.Max(segment.FirstAddress, cursor)) : 0);
            int end = from + (int)Math.Min(Math.Max(0, segment.PageCount - from), left);
            left -= end - from;
            window = FindIn(segment, from, end, target, victims);
            if (window >= 0)
            {
                if (target.IsAnywhere)
                    Volatile.Write(ref inVain, int.MaxValue);
                if (!target.IsInLasting)
                    Volatile.Write(ref _cursor, segment.AddressOfPage(window + target.Pages));
                return true;
            }
            if (left <= 0)
                Volatile.Write(ref _cursor, segment.AddressOfPage(end - target.Pages));
        }
        if (left > 0 && target.IsAnywhere)
            Volatile.Write(ref inVain, Math.Min(Volatile.Read(ref inVain), target.Pages));
        (segment, window) = (null, -1);
        return false;
    }

    // The first page of the cheapest of the first windows that can be emptied; -1 when each has a block that stays.
    private int FindIn(Segment segment, int from, int end, Target target, IPageVictims victims)
    {
        int start = (from + target.Step - 1) / target.Step * target.Step;
        if (start + target.Pages > end)
            return -1;
        long[] costs = ArrayPool<long>.Shared.Rent(end - start);
        var known = new Span<long>(costs, 0, end - start);
        known.Fill(Unknown);
        int window = -1;
        for (; start + target.Pages <= end && window < 0; start += target.Choice * target.Step)
        {
            int endOfChoice = Math.Min(start + target.Pages + (target.Choice - 1) * target.Step, end);
            window = FindWindow(segment, start, known[^(end - start)..][..(endOfChoice - start)], target, victims);
        }
        ArrayPool<long>.Shared.Return(costs);
        return window;
    }

    private int FindWindow(Segment segment, int start, Span<long> costs, Target target, IPageVictims victims)
    {
        using ReadScope scope = blocks.EnterReader();
        if (!_allocator.Pool.IsInUse(segment)) // its memory stays while this region is open
            return -1;
        int best = -1;
        long bestCost = Stays;
        for (int window = 0; window + target.Pages <= costs.Length;)
        {
            long cost = 0;
            int page = window + target.Pages - 1; // from the last: no window that has a page that stays is looked at further
            for (; page >= window && cost != Stays; page--)
            {
                if (costs[page] == Unknown)
                    costs[page] = CostOf(segment, start + page, target, victims);
                cost = costs[page] == Stays ? Stays : cost + costs[page];
            }
            if (cost < bestCost && !segment.WordOf(start + window).IsRunTail)
                (best, bestCost) = (start + window, cost);
            window = cost == Stays ? (page + 1 + target.Step) / target.Step * target.Step : window + target.Step;
        }
        return best;
    }

    private static int PagesOf(long blockBytes) => (int)((blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes);

    // Read without a lock: what has changed until the eviction is left out then, and the caller tries again.
    private long CostOf(Segment segment, int page, Target target, IPageVictims victims)
    {
        if (page < segment.HeadPages)
            return 0;
        PageWord word = segment.WordOf(page);
        PageMeta* meta = segment.Metas + page;
        if (target.IsPartial && !(word.HasSlots && word.SizeClass == target.SizeClass && (meta->HasGuests || !target.AreGuests)))
            return Stays;
        if (target.IsInLasting && !(segment.IsLasting(page) && (!word.HasSlots || PageKind.IsEvictable(meta->Kind))))
            return Stays;
        if (word.IsRunTail)
            return 0; // its head has the cost
        if (word.IsUnused)
            return segment.IsFreePage(page) ? 0 : Stays;
        PageInfo info = SegmentMap.Load(segment.Infos + page);
        if (info.IsUnrecovered)
            return Stays;
        long sum = 0;
        int freed = 0;
        foreach (ulong address in new BlockAddresses(segment, page, info))
        {
            var header = new BlockHeader(Volatile.Read(ref *(ulong*)(segment.Region.Start + segment.OffsetOf(address))));
            if (header.IsFree)
            {
                freed++;
                continue;
            }
            long cost = header.Kind == BlockKind.TableEntry ? victims.CostOf(address) : -1;
            if (cost < 0 && !target.IsPartial)
                return Stays;
            sum += Math.Max(0, cost);
        }
        if (target.IsPartial)
        {
            meta->HasGuests &= sum != 0;
            return sum == 0 ? Stays : sum;
        }
        bool isLeased = word.HasSlots && !_allocator.Pool.TracksFlushed && freed > meta->FreeCount; // or exhausted
        return isLeased ? Stays : sum;
    }

    // Whether nothing is left there; where that is known only after a flush, it is assumed.
    private bool TryEmpty(Segment segment, int first, Target target, IPageVictims victims)
    {
        bool areEmpty = true;
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
                areEmpty &= _allocator.EndIsolation((PageMeta*)page);
        }
        return areEmpty;
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
        /// <summary>Of the slots of a class, only those that were taken in pages for blocks that stay.</summary>
        internal bool AreGuests { get; init; }

        /// <summary>Also the pages of a segment's head, as if they were free.</summary>
        internal bool IsWithHead { get; init; }

        /// <summary>Only pages of others in groups for blocks that stay.</summary>
        internal bool IsInLasting { get; init; }

        internal bool IsPartial => SizeClass != AnyClass;

        internal bool IsAnywhere => !IsPartial && !IsInLasting;

        internal static Target Of(int pages) => new(pages, AnyClass, Step: 1, Math.Clamp(pages, LeastChoice, MostChoice));

        internal static Target OfGroup => new(Segment.GroupPages, AnyClass, Segment.GroupPages, ChoiceOfGroups);
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
