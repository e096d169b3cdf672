using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Finding the live block of a pointer, and making it busy.</summary>
/// <remarks>
/// A shadowed block's own header is busy, and otherwise says what the last flush knows. A thread that meets a busy header looks in the
/// shadow header table: an entry there holds the current header; without one, another thread is changing the block.
/// </remarks>
internal sealed unsafe partial class BlockStore
{
    /// <summary>
    /// Finds the live block of a pointer and makes it busy: it is the caller's alone until the caller publishes a header that is not busy.
    /// </summary>
    internal bool TryMakeBusy(PilePointer pointer, out Block block)
    {
        var spinner = default(SpinWait);
        while (TryLocate(pointer, out block))
        {
            if (!block.Header.IsBusy && block.TrySwap(block.Header.Busy)) // fails if the header has changed since
                return true;
            spinner.SpinOnce(sleep1Threshold: -1);
        }
        return false;
    }

    /// <summary>Finds the live block of a pointer as it is at this instant.</summary>
    internal bool TryLocate(PilePointer pointer, out Block block, bool refusesEntries = true)
    {
        block = default;
        Debug.Assert(PileRegions.Current.IsOpen, "A block that was found stays mapped only during the critical region.");
        byte* start = pointer.IsValid ? _map.Find(pointer.Address, out PageInfo* infoAt) : Nowhere(out infoAt);
        if (start == null)
            return false;
        if (RecoverPageIfNeeded(SegmentMap.Load(infoAt), pointer.Address)) // before the header is loaded: recovery may undo a deletion
            return TryLocate(pointer, out block, refusesEntries);
        var word = (ulong*)start;
        var header = new BlockHeader(Volatile.Read(ref *word));
        PageInfo info = SegmentMap.Load(infoAt); // behind the header: see BlockReader.TryReadInRegion
        if (header.IsBusy && IsShadowed(pointer.Address, header, ref word))
            header = new BlockHeader(Volatile.Read(ref *word)); // the entry stays while this thread is in the critical region
        if (header.Kind == BlockKind.Link)
            RecoverTargetPage(header);
        block = new Block(start, word, pointer.Address, header, info);
        bool found = header.Generation == pointer.Generation && header.IsAddressable && info.HasSlotAt(pointer.Address);
        if (found && refusesEntries && header.Kind == BlockKind.TableEntry)
            Throw.BelongsToTable(pointer);
        return found;
    }

    /// <summary>The target of a link that the caller has made busy.</summary>
    internal Block TargetOf(BlockHeader link)
    {
        Debug.Assert(link.Kind == BlockKind.Link, "Only a link has a target.");
        // Unchecked: while the link is busy nobody else frees its target, or moves the payload.
        byte* start = _map.Find(link.TargetAddress, out PageInfo* info);
        return new Block(start, (ulong*)start, link.TargetAddress, new BlockHeader(*(ulong*)start), *info);
    }

    internal static OwnerWord OwnerWordOf(Block target) => new(*(ulong*)(target.Start + BlockHeader.SizeBytes));

    /// <summary>Recovers the page of an address, if it is not recovered yet.</summary>
    /// <returns>Whether it was not: what the caller has loaded of the page is out of date.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool RecoverPageIfNeeded(PageInfo info, ulong address)
    {
        if (!info.IsUnrecovered)
            return false;
        Debug.Assert(PageRecovery != null, "Only pages found in files need recovery.");
        PageRecovery!.RecoverPage(address);
        return true;
    }

    /// <summary>Whether a block with a busy own header has a shadow header, and where.</summary>
    internal bool IsShadowed(ulong address, BlockHeader own, ref ulong* word)
    {
        if (own.IsFree)
            return false;
        ulong* found = _shadowHeaders.Find(address, own.Generation);
        if (found == null) // busy without an entry: a writer is changing the block
            return false;
        word = found;
        return true;
    }

    /// <summary>Whether a payload matches its checksum.</summary>
    internal bool IsIntact(byte* block, BlockHeader header, ulong address, PageInfo info)
    {
        long capacityBytes = info.HasSlotAt(address) ? _allocator.BlockBytesAt(address, info) - BlockHeader.SizeBytes : 0;
        return BlockChecksum.IsValid(block, header.NotBusy, capacityBytes, _checksums);
    }

    // Writers have the target's page recovered before they change a link: see PageRecovery.
    private void RecoverTargetPage(BlockHeader link)
    {
        if (_map.Find(link.TargetAddress, out PageInfo* infoAt) != null)
            _ = RecoverPageIfNeeded(SegmentMap.Load(infoAt), link.TargetAddress);
    }

    private static byte* Nowhere(out PageInfo* info)
    {
        info = null;
        return null;
    }
}
