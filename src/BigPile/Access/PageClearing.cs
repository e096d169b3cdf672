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
internal sealed unsafe partial class PageClearing(BlockStore blocks)
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
    private int _isStuck; // 1: the last page there was not emptied; any thread writes
    private int _pagesInVain = int.MaxValue; // so many in a row could not be emptied anywhere; any thread writes
    private int _groupsInVain = int.MaxValue; // as before, in whole groups

    /// <summary>
    /// Evicts what lies in as many consecutive pages as a block needs. For a block larger than a segment it empties segments.
    /// </summary>
    /// <param name="blockBytes">The block's size.</param>
    /// <param name="isEvictable">Whether it may be evicted itself; if not, it gets pages of a group where others stay.</param>
    /// <param name="batchBytes">How much is evicted at once for blocks that stay, so that few puts take the time.</param>
    /// <param name="victims">Decides what may go, and evicts it.</param>
    /// <returns>
    /// <see langword="false"/> when nothing that would help may go. After <see langword="true"/> other threads may have taken the space.
    /// </returns>
    internal bool TryClear(long blockBytes, bool isEvictable, long batchBytes, IPageVictims victims)
    {
        int pages = PagesOf(blockBytes);
        bool isLasting = !isEvictable && _allocator.Pool.Separation.IsOn;
        if (isLasting && TryClearBatch(blockBytes, batchBytes, victims))
            return true;
        return TryClearPages(Target.Of(pages), victims, out _, isLasting) || TryClearSegment(pages, victims);
    }

    /// <summary>Whether the last search for so many bytes looked at all pages, and none since has found any.</summary>
    internal bool IsInVain(long blockBytes) => PagesOf(blockBytes) >= Volatile.Read(ref _pagesInVain);

    /// <summary>Evicts what may go from a page with slots of a block's size, beside what stays there.</summary>
    /// <inheritdoc cref="TryClear"/>
    internal bool TryClearSlots(long blockBytes, IPageVictims victims) => TryClearPartly(blockBytes, areGuests: false, victims, out _);

    /// <summary>Evicts what lies in a group of pages that can be withheld: see <see cref="WithheldPages"/>.</summary>
    /// <inheritdoc cref="TryClear"/>
    internal bool TryClearGroup(IPageVictims victims) => TryClearPages(Target.OfGroup, victims, out _);

    private bool TryClearBatch(long blockBytes, long batchBytes, IPageVictims victims)
    {
        int pages = PagesOf(blockBytes);
        long cleared = 0;
        while (cleared < batchBytes
            && (TryClearPartly(blockBytes, areGuests: true, victims, out long bytes) || TryClearLasting(pages, victims, out bytes)))
        {
            cleared += Math.Max(bytes, pages * (long)SizeClasses.PageBytes);
        }
        if (cleared != 0 && Interlocked.Exchange(ref _isStuck, 0) == 0)
            Volatile.Write(ref _lastingCursor, 0); // the lowest ones again, so that the last groups become empty
        return cleared != 0;
    }

    private bool TryClearPartly(long blockBytes, bool areGuests, IPageVictims victims, out long bytes)
    {
        bytes = 0;
        if (blockBytes > SizeClasses.MaxSlotBytes)
            return false;
        Target target = Target.Of(1) with { SizeClass = SizeClasses.ClassOf((int)blockBytes), AreGuests = areGuests };
        return TryClearPages(target, victims, out bytes);
    }

    // First pages that others have in groups for blocks that stay, then another group: so that there are no more of these than necessary.
    private bool TryClearLasting(int pages, IPageVictims victims, out long bytes)
    {
        bytes = 0;
        Target target = Target.Of(pages) with { IsInLasting = true, Choice = Segment.GroupPages };
        if (TryFind(target, victims, out Segment? segment, out int first))
        {
            Volatile.Write(ref _lastingCursor, segment.AddressOfPage(first + pages));
            bool isEmptied = TryEmpty(segment, first, target, victims, out bytes);
            if (!isEmptied || _allocator.Pool.TracksFlushed) // a block stays there for a while, or until a flush
                Volatile.Write(ref _isStuck, 1);
            if (isEmptied)
                return true;
        }
        Target group = Target.OfGroup with { IsWithHead = true };
        if (!TryFind(group, victims, out segment, out first))
            return false;
        _allocator.Pool.Reserve(segment, first, Segment.GroupPages);
        _ = TryEmpty(segment, Math.Max(first, segment.HeadPages), target, victims, out bytes);
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
            _ = TryEmpty(segment, segment.HeadPages, all, victims, out _);
            cleared += all.Pages;
        }
        if (cleared != 0)
            blocks.Reclaimer.TrimQuietly(); // the pile grows by a larger one
        return cleared != 0;
    }

    private bool TryClearPages(Target target, IPageVictims victims, out long bytes, bool reserves = false)
    {
        bytes = 0;
        if (!TryFind(target, victims, out Segment? segment, out int window))
            return false;
        if (reserves)
            _allocator.Pool.Reserve(segment, window, target.Pages);
        _ = TryEmpty(segment, window, target, victims, out bytes);
        return true;
    }

    // Whether nothing is left there; where that is known only after a flush, it is assumed.
    private bool TryEmpty(Segment segment, int first, Target target, IPageVictims victims, out long bytes)
    {
        bool areEmpty;
        bytes = 0;
        var isolated = new List<nint>(); // pages of slots: what is freed there is not taken again
        try
        {
            List<ulong> addresses = Collect(segment, first, target, isolated);
            foreach (ulong address in addresses)
                bytes += victims.Evict(address);
        }
        finally
        {
            areEmpty = _allocator.Pool.TracksFlushed || isolated.Count == CountLaidOut(segment, first, target);
            foreach (nint page in isolated)
                areEmpty &= _allocator.EndIsolation((PageMeta*)page);
        }
        return areEmpty;
    }

    private int CountLaidOut(Segment segment, int first, Target target)
    {
        int count = 0;
        using ReadScope scope = blocks.EnterReader();
        if (!_allocator.Pool.IsInUse(segment)) // trimmed, as it is empty
            return 0;
        for (int page = first; page < first + target.Pages; page++)
            count += segment.WordOf(page).IsUnused ? 0 : 1;
        return count;
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
}

/// <summary>What may go from pages that are emptied.</summary>
internal interface IPageVictims
{
    /// <summary>The bytes that evicting an entry costs; negative where it must stay. The caller is in a critical region.</summary>
    /// <param name="address">The entry; another thread may change it.</param>
    long CostOf(ulong address);

    /// <summary>Evicts an entry, unless it has gone, or must stay. The caller is outside of critical regions.</summary>
    /// <returns>The bytes that it cost.</returns>
    long Evict(ulong address);
}
