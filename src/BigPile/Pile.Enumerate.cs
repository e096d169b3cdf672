using System;
using System.Collections;
using System.Collections.Generic;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>Walking over everything.</summary>
public sealed unsafe partial class Pile
{
    private const int EntriesPerBatch = 512;
    private const int PagesAtOnce = 64;
    private const ulong UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    /// <summary>Walks over all objects in the order of their addresses, also while others write.</summary>
    /// <remarks>
    /// An object that lives through the whole walk comes exactly once. One that is put or deleted meanwhile comes once or not at all,
    /// and may be gone when its entry is looked at. Thread safety: an enumerator belongs to one thread at a time.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The pile is closed, or was closed during the walk.</exception>
    public Enumerator GetEnumerator() => new(this);

    IEnumerator<PileEntry> IEnumerable<PileEntry>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Collects entries from an address on.</summary>
    /// <returns>How many; zero at the end of the pile.</returns>
    private int Collect(ref ulong address, Span<PileEntry> entries)
    {
        int count = 0;
        while (CollectFew(ref address, entries, ref count) && count == 0)
        {
        }
        return count;
    }

    /// <summary>Collects the entries of some pages: whoever waits for the walk to leave the pile does not wait for long.</summary>
    /// <returns><see langword="false"/> at the end of the pile.</returns>
    private bool CollectFew(ref ulong address, Span<PileEntry> entries, ref int count)
    {
        ThreadPresence presence = Enter();
        try
        {
            if (IsReadOnly && address == 0)
                MapNewSegments();
            ulong end = _map.AddressOf(_allocator.Pool.SegmentsEnd);
            for (int pages = 0; pages < PagesAtOnce && address < end && count < entries.Length; pages++)
                CollectPage(ref address, entries, ref count);
            return address < end;
        }
        finally
        {
            Exit(presence);
        }
    }

    private void CollectPage(ref ulong address, Span<PileEntry> entries, ref int count)
    {
        ulong page = address & ~(UnitsPerPage - 1);
        byte* start = _map.Find(page, out PageInfo* infoAt);
        PageInfo info = IsReadOnly ? _inspector!.InfoAt(page) : start == null ? default : SegmentMap.Load(infoAt);
        if (info.IsUnexamined)
            info = ExaminedInfo(page, infoAt);
        ulong step = info.ClassPlusOne == 0 ? UnitsPerPage : (ulong)SizeClasses.SlotBytes(info.ClassPlusOne - 1) / SizeClasses.GranuleBytes;
        ulong end = page + (ulong)info.SlotCount * step;
        // The page may have been laid out anew since the batch before; what is in it now did not live through the walk.
        ulong at = page + (address - page + step - 1) / step * step;
        for (; at < end; at += step)
        {
            if (count == entries.Length)
            {
                address = at;
                return;
            }
            if (TryDescribe(at, start + (at - page) * SizeClasses.GranuleBytes, out entries[count]))
                count++;
        }
        address = page + UnitsPerPage;
    }

    private PageInfo ExaminedInfo(ulong page, PageInfo* infoAt)
    {
        _ = ExaminePage(page);
        return SegmentMap.Load(infoAt);
    }

    // The block's place was found with its page: the segment may be given back meanwhile, and then nothing is found any more, while its
    // memory stays until the walk has left the pile.
    private bool TryDescribe(ulong address, byte* block, out PileEntry entry)
    {
        entry = default;
        BlockHeader header;
        if (IsReadOnly)
            _ = TryFindShared(address, out _, out _, out header);
        else
            header = new BlockHeader(System.Threading.Volatile.Read(ref *(ulong*)block));
        if (!header.IsAddressable)
            return false;
        var pointer = new PilePointer(address, header.Generation);
        var reader = default(SizeReader);
        if (!TryReadInside<SizeReader, AllChecks>(pointer, ref reader))
            return false;
        entry = new PileEntry(pointer, (int)reader.LengthBytes, PayloadKindOf(reader.Kind));
        return true;
    }

    /// <summary>A walk over a pile.</summary>
    public sealed class Enumerator : IEnumerator<PileEntry>
    {
        private readonly Pile _pile;
        private readonly PileEntry[] _batch = new PileEntry[EntriesPerBatch];
        private ulong _nextAddress;
        private int _count;
        private int _index = -1;

        internal Enumerator(Pile pile) => _pile = pile;

        /// <inheritdoc/>
        public PileEntry Current => _batch[_index];

        object IEnumerator.Current => Current;

        /// <inheritdoc/>
        public bool MoveNext()
        {
            if (++_index < _count)
                return true;
            _count = _pile.Collect(ref _nextAddress, _batch);
            _index = 0;
            return _count != 0;
        }

        /// <inheritdoc/>
        public void Reset()
        {
            _nextAddress = 0;
            _count = 0;
            _index = -1;
        }

        /// <inheritdoc/>
        public void Dispose()
        {
        }
    }
}
