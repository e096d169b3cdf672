using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Access;

/// <summary>A block as a lock-free read found it. What is read through it counts only if it is validated afterwards.</summary>
/// <remarks>
/// Header and page are loaded in this order, each with acquire semantics. A page is hidden (<see cref="Segment.Unpublish"/>) before its
/// slots are laid out anew: so who saw bytes of a new layout as a header sees the new info, too. Each free raises the generation in the
/// header: if both words are the same afterwards, the block was neither freed nor reused in between. The caller is in a critical region,
/// which keeps the memory mapped. Replacement in place may leave both words as they were: <see cref="Concurrency.SeqLockStripes"/> tells.
/// </remarks>
internal readonly unsafe struct BlockSnapshot
{
    private readonly ulong* _pageAt; // the word that says how the page is laid out: its info, or, in another process's file, its page word
    private readonly ulong _page; // that word, loaded behind the header

    internal readonly byte* Start; // the header, in front of the payload; null where no segment is
    internal readonly BlockHeader Header; // the block's own, as it was

    /// <summary>Takes a snapshot of the block that begins at an address.</summary>
    /// <param name="start">The address.</param>
    /// <param name="pageAt">The page's info, or, in another process's file, its page word.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockSnapshot(byte* start, ulong* pageAt)
    {
        Start = start;
        _pageAt = pageAt;
        Header = new BlockHeader(Volatile.Read(ref *(ulong*)start)); // acquire; pairs with BlockStore.Publish
        CrashPoints.Pass(CrashPoint.ReadBehindHeader);
        _page = Volatile.Read(ref *pageAt);
    }

    /// <summary>Takes a snapshot of the block that begins at an address.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockSnapshot(byte* start, PageInfo* infoAt)
        : this(start, (ulong*)infoAt)
    {
    }

    /// <summary>The page's info, in the process that writes.</summary>
    internal PageInfo Info => new(_page);

    /// <summary>The page's word, in a process that reads another one's file.</summary>
    internal PageWord PageWord => new(_page);

    /// <summary>Whether no segment is at the address.</summary>
    internal bool IsNone => Start == null;

    internal byte* Payload => Start + BlockHeader.SizeBytes;

    /// <summary>The payload's bytes, of a block that is no link.</summary>
    internal long PayloadBytes => Header.OwnPayloadBytes;

    /// <summary>Takes a snapshot; none where no segment is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static BlockSnapshot Take(SegmentMap map, ulong address)
    {
        byte* start = map.Find(address, out PageInfo* infoAt);
        return start == null ? default : new BlockSnapshot(start, infoAt);
    }

    /// <summary>Whether header and page info are as they were: what was read since is of one block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Validate()
    {
        if (Mutation.HeaderNotLoadedAgain)
            return true;
        // The copy ends before these loads. Pairs with the releases of freeing the block (Volatile.Write or a swap of the header), of
        // reusing its slot (BlockStore.Publish) and of hiding its page (Segment.Unpublish): who has read a byte of the next block sees
        // another header, or another info.
        Volatile.ReadBarrier();
        return *(ulong*)Start == Header.Word && *_pageAt == _page;
    }
}
