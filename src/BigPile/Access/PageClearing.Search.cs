using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Finds the pages that cost least to empty.</summary>
internal sealed unsafe partial class PageClearing
{
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
        int free = 0;
        foreach (ulong address in new BlockAddresses(segment, page, info))
        {
            var header = new BlockHeader(Volatile.Read(ref *(ulong*)(segment.Region.Start + segment.OffsetOf(address))));
            if (header.IsFree)
            {
                free++;
                continue;
            }
            long cost = header.Kind == BlockKind.TableEntry ? victims.CostOf(address) : -1;
            if (cost < 0 && !target.IsPartial)
                return Stays;
            sum += Math.Max(0, cost);
        }
        // Leased though deleted, or of a put that is under way: the page is not free soon, and would be the cheapest again and again.
        bool isInUse = free > (word.HasSlots ? meta->FreeCount + meta->PendingFreeCount : meta->IsRunFlushed ? 1 : 0);
        if (target.IsPartial && sum == 0)
            meta->HasGuests &= isInUse;
        return (target.IsPartial ? sum == 0 : isInUse) ? Stays : sum;
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
