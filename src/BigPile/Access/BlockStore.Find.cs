using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Finding the live block of a pointer, and making it the caller's alone.</summary>
/// <remarks>
/// The block's own header is busy while another one counts for it, and what it says is what the last flush knows. So whoever meets a busy
/// header looks into the table of moved blocks: with a place there, that word is the header; without one, somebody is at work.
/// </remarks>
internal sealed unsafe partial class BlockStore
{
    /// <summary>
    /// Finds the live block of a pointer and makes it the caller's alone, until the caller publishes a header that is not busy.
    /// </summary>
    internal bool TryMakeBusy(PilePointer pointer, out Block block)
    {
        var spinner = default(SpinWait);
        while (TryLocate(pointer, out block))
        {
            if (!block.Header.IsBusy && block.TrySwap(block.Header.Busy))
                return true;
            spinner.SpinOnce(sleep1Threshold: -1);
        }
        return false;
    }

    /// <summary>Finds the live block of a pointer as it is at this instant.</summary>
    internal bool TryLocate(PilePointer pointer, out Block block, bool refusesEntries = true)
    {
        block = default;
        Debug.Assert(CriticalRegion.Current.IsInRegion, "What is found stays only while the caller is inside.");
        byte* start = pointer.IsValid ? _map.Find(pointer.Address, out PageInfo* infoAt) : Nowhere(out infoAt);
        if (start == null)
            return false;
        if (RecoverPageIfNeeded(SegmentMap.Load(infoAt), pointer.Address)) // before the header is loaded: the examiner may undo a deletion
            return TryLocate(pointer, out block, refusesEntries);
        var word = (ulong*)start;
        var header = new BlockHeader(Volatile.Read(ref *word));
        PageInfo info = SegmentMap.Load(infoAt);
        if (header.IsBusy && IsShadowed(pointer.Address, header, ref word))
            header = new BlockHeader(Volatile.Read(ref *word)); // stays there until this call has left the pile
        if (header.Kind == BlockKind.Link)
            RecoverTargetPage(header);
        block = new Block(start, word, pointer.Address, header, info);
        bool found = header.Generation == pointer.Generation && header.IsAddressable && info.HasSlotAt(pointer.Address);
        if (found && refusesEntries && header.Kind == BlockKind.TableEntry)
            Throw.BelongsToTable(pointer);
        return found;
    }

    /// <summary>The target of a link whose origin is the caller's alone.</summary>
    internal Block TargetOf(BlockHeader link)
    {
        Debug.Assert(link.Kind == BlockKind.Link, "Only a link has a target.");
        byte* start = _map.Find(link.TargetAddress, out PageInfo* info);
        return new Block(start, (ulong*)start, link.TargetAddress, new BlockHeader(*(ulong*)start), *info);
    }

    /// <summary>What a link target says of its origin.</summary>
    internal static OwnerWord OwnerWordOf(Block target) => new(*(ulong*)(target.Start + BlockHeader.SizeBytes));

    /// <summary>Has the page of an address examined, if that is why nothing was found there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool RecoverPageIfNeeded(PageInfo info, ulong address)
    {
        if (!info.IsUnrecovered)
            return false;
        Debug.Assert(PageRecovery != null, "Only what was found in files waits to be examined.");
        PageRecovery!.RecoverPage(address);
        return true;
    }

    /// <summary>Whether the header that counts of a block whose own one is busy lies elsewhere, and where.</summary>
    internal bool IsShadowed(ulong address, BlockHeader own, ref ulong* word)
    {
        if (own.IsFree)
            return false;
        ulong* found = _shadowHeaders.Find(address, own.Generation);
        if (found == null)
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

    // Whoever changes a link has its target's page examined before: see PageRecovery.
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
