using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Tests.Allocation;

/// <summary>Heaps over a pool, and beside them what each slot was taken with; both take the same random steps.</summary>
internal sealed unsafe partial class HeapModel : IDisposable
{
    private const int HeapCount = 2;
    private const long SegmentBytes = 1 << 20;
    private const int MostSegments = 6;
    private static readonly int[] Classes = [30, 60, 100, 112, SizeClasses.Count - 1];

    private readonly Random _random;
    private readonly bool _tracksFlushed;
    private readonly SegmentMap _map = new(SegmentBytes);
    private readonly EventCount _transferEvents = new();
    private readonly PagePool _pool;
    private readonly Heap[] _heaps;
    private readonly Dictionary<ulong, Taken> _live = [];
    private readonly HashSet<ulong> _flushed = []; // live at the last snapshot
    private readonly HashSet<ulong> _pendingFrees = [];
    private readonly Dictionary<ulong, uint> _highest = []; // the last generation that each address was given out with
    private readonly HashSet<ulong> _changes = []; // taken or freed since the last snapshot
    private int _snapshot = Allocator.FirstSnapshot;

    internal HeapModel(int seed, uint generationBase, bool tracksFlushed)
    {
        _random = new Random(seed);
        _tracksFlushed = tracksFlushed;
        var store = new MemorySegmentStore(StoreKind.Native, hugePages: false);
        _pool = new PagePool(_map, store, SegmentBytes * MostSegments, Guid.NewGuid(), generationBase, _transferEvents, tracksFlushed);
        _heaps = [.. Enumerable.Range(0, HeapCount).Select(index => new Heap(index, tracksFlushed, _transferEvents))];
    }

    internal HeapTally Done { get; private set; }

    internal void Step()
    {
        switch (_random.Next(32))
        {
            case < 14:
                TakeSome();
                break;
            case < 25:
                FreeSome();
                break;
            case < 28:
                MovePage();
                break;
            case 28:
                GiveUpEmpty();
                break;
            default:
                Flush();
                break;
        }
        Check();
    }

    /// <summary>Has everything freed, and every page come back.</summary>
    internal void FreeAll()
    {
        foreach (ulong address in _live.Keys.ToArray())
            Free(address);
        Check();
        Flush(mostSteps: 0);
        Check();
        foreach (int _ in Classes)
            GiveUpEmpty();
        Check();
        Assert.Equal(0, _heaps.Sum(static heap => heap.LiveBlocks));
        Assert.Equal(0, _heaps.Sum(static heap => heap.LiveSlotBytes));
        Assert.Equal(0, _heaps.Sum(static heap => heap.PendingFreeBytes));
    }

    public void Dispose()
    {
        foreach (Heap heap in _heaps)
            heap.Dispose();
        _pool.Dispose();
        _map.Dispose();
    }

    private void TakeSome()
    {
        int own = _random.Next(HeapCount);
        int sizeClass = Classes[_random.Next(Classes.Length)];
        for (int count = _random.Next(1, 40); count > 0; count--)
        {
            int payloadBytes = _random.Next(SizeClasses.SlotBytes(sizeClass) - BlockHeader.SizeBytes);
            Slot slot = _heaps[own].TryTake(sizeClass, payloadBytes, PileRegions.Current);
            if (slot.IsNone && !TryGetPage(own, sizeClass))
                return;
            if (!slot.IsNone)
                RecordTaken(slot, sizeClass, payloadBytes);
        }
    }

    private void RecordTaken(Slot slot, int sizeClass, int payloadBytes)
    {
        Assert.False(_pendingFrees.Contains(slot.Address), $"{slot.Address:x} is pending");
        Assert.True(_live.TryAdd(slot.Address, new Taken(slot.Generation, payloadBytes)), $"{slot.Address:x} is live");
        Assert.Equal(SizeClasses.SlotBytes(sizeClass), slot.CapacityBytes + BlockHeader.SizeBytes);
        Assert.True(!_highest.TryGetValue(slot.Address, out uint before) || slot.Generation > before, $"{slot.Address:x} goes back");
        _highest[slot.Address] = slot.Generation;
        if (_tracksFlushed)
            _changes.Add(slot.Address);
        *(ulong*)slot.Start = new BlockHeader(BlockKind.Bytes, slot.Generation, (ulong)payloadBytes).Word;
        Done += new HeapTally { Taken = 1 };
    }

    private bool TryGetPage(int own, int sizeClass)
    {
        PageMeta* page = _random.Next(3) == 0 ? _heaps[1 - own].Detach(sizeClass, own) : null;
        if (page == null)
        {
            page = _pool.TakePage(sizeClass, own, mayGrow: true);
            if (page == null)
                return false;
            page->IsInTransit = true;
            ForgetAddresses(page);
        }
        page = _heaps[own].Attach(page);
        if (page != null)
            _pool.ReturnPage(page);
        _transferEvents.End();
        return true;
    }

    // A page that was laid out anew has other addresses; what it had before must not come back either, which its word sees to.
    private void ForgetAddresses(PageMeta* page)
    {
        uint highest = 0;
        for (ulong unit = 0; unit < SizeClasses.PageBytes / SizeClasses.GranuleBytes; unit++)
        {
            if (_highest.Remove(page->FirstAddress + unit, out uint generation))
                highest = Math.Max(highest, generation);
        }
        Segment segment = _pool.SegmentOf(page);
        Assert.True(highest == 0 || segment.WordOf(segment.IndexOf(page)).GenerationBase > highest);
    }

    private void FreeSome()
    {
        if (_live.Count == 0)
            return;
        int start = _random.Next(_live.Count);
        bool isDense = _random.Next(2) == 0; // the same page, so that some become empty
        ulong[] some = isDense
            ? [.. _live.Keys.Order().Skip(start).Take(_random.Next(1, 200))]
            : [.. _live.Keys.Where(_ => _random.Next(8) == 0)];
        foreach (ulong address in some)
            Free(address);
    }

    private void Free(ulong address)
    {
        Taken taken = _live[address];
        PageMeta* page = _map.MetaOf(address);
        int slot = SlotOf(page, address);
        BlockHeader freed = new BlockHeader(BlockKind.Bytes, taken.Generation, (ulong)taken.PayloadBytes).Freed;
        *(ulong*)page->BlockAt(slot) = freed.Word;
        int other = 1 - page->Owner;
        Assert.False(_heaps[other].TryReturn(page, slot, freed.Generation, taken.PayloadBytes, out _));
        Assert.True(_heaps[page->Owner].TryReturn(page, slot, freed.Generation, taken.PayloadBytes, out PageMeta* emptied));
        _live.Remove(address);
        if (_tracksFlushed)
            _changes.Add(address);
        if (_flushed.Remove(address))
            _pendingFrees.Add(address);
        Done += new HeapTally { Freed = 1, Exhausted = freed.Generation == PilePointer.MaxGeneration ? 1 : 0 };
        if (emptied == null)
            return;
        Assert.DoesNotContain(_live.Keys.Concat(_pendingFrees), left => _map.MetaOf(left) == emptied);
        ReturnPage(emptied);
    }

    private void ReturnPage(PageMeta* emptied)
    {
        Assert.True(_transferEvents.IsUnderWay);
        _pool.ReturnPage(emptied);
        _transferEvents.End();
    }

    private void MovePage()
    {
        int from = _random.Next(HeapCount);
        PageMeta* page = _heaps[from].Detach(Classes[_random.Next(Classes.Length)], 1 - from);
        if (page == null)
            return;
        foreach (ulong address in _live.Keys.Where(address => _map.MetaOf(address) == page && _random.Next(3) == 0).ToArray())
        {
            Free(address);
            Done += new HeapTally { FreedInTransit = 1 };
        }
        if (_random.Next(3) == 0)
            Flush();
        page = _heaps[1 - from].Attach(page);
        if (page != null)
            _pool.ReturnPage(page);
        _transferEvents.End();
        Done += new HeapTally { Transferred = 1 };
    }

    private void GiveUpEmpty()
    {
        foreach (Heap heap in _heaps)
        {
            foreach (int sizeClass in Classes)
            {
                heap.EnterLock();
                PageMeta* page = heap.GiveUpEmptyLocked(sizeClass);
                heap.ExitLock();
                if (page == null)
                    continue;
                ReturnPage(page);
                Done += new HeapTally { GivenUp = 1 };
            }
        }
    }

    private void Check()
    {
        Assert.False(_transferEvents.IsUnderWay);
        Segment[] segments = _pool.Segments();
        foreach (Heap heap in _heaps)
            heap.CheckInvariants(segments);
        _pool.CheckInvariants();
        Assert.Equal(_live.Count, _heaps.Sum(static heap => heap.LiveBlocks));
        Assert.Equal(_live.Values.Sum(static taken => (long)taken.PayloadBytes), _heaps.Sum(static heap => heap.PayloadBytes));
        Assert.Equal(_live.Keys.Sum(address => (long)_map.MetaOf(address)->SlotBytes), _heaps.Sum(static heap => heap.LiveSlotBytes));
        Assert.Equal(_pendingFrees.Sum(address => (long)_map.MetaOf(address)->SlotBytes), _heaps.Sum(static heap => heap.PendingFreeBytes));
    }

    private static int SlotOf(PageMeta* page, ulong address) =>
        (int)((long)(address - page->FirstAddress) * SizeClasses.GranuleBytes / page->SlotBytes);

    private readonly record struct Taken(uint Generation, int PayloadBytes);
}
