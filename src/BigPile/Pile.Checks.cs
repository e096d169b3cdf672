using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>Comparing what is read with its checksum each time, where that was asked for.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>Whether each read compares.</summary>
    internal bool ChecksEveryRead => _checksEveryRead;

    /// <summary>
    /// Whether an entry matches its checksum; <see langword="false"/> when it was changed meanwhile, which calls for another look.
    /// </summary>
    /// <exception cref="PileStorageException">It does not match.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool IsIntact(ulong address, in EntryView view)
    {
        bool isIntact = view.IsIntact(address, this);
        bool isSame = view.IsUnchanged();
        if (isSame && !isIntact)
            Throw.Damaged(DirectoryPath, view.PayloadBytes);
        return isSame;
    }

    /// <summary>
    /// Whether what was just read matches its checksum; <see langword="false"/> when it was changed meanwhile, which calls for another
    /// read.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsIntact(
        ulong address, byte* block, BlockHeader header, PageInfo info, PageInfo* infoAt, Stripes.Stripe* stripe, ulong sequence)
    {
        bool isIntact = true;
        if (header.Kind == BlockKind.Link)
        {
            byte* target = _map.Find(header.TargetAddress, out PageInfo* targetInfo);
            isIntact = target != null
                && IsIntact(target, new BlockHeader(*(ulong*)target), header.TargetAddress, SegmentMap.Load(targetInfo));
        }
        else
        {
            isIntact = IsIntact(block, header, address, info);
        }
        Volatile.ReadBarrier();
        bool isSame = *(ulong*)block == header.Word && infoAt->Word == info.Word && stripe->Sequence == sequence;
        if (isSame && !isIntact)
            Throw.Damaged(DirectoryPath, header.PayloadBytes);
        return isSame;
    }

    private bool IsIntact(byte* block, BlockHeader header, ulong address, PageInfo info)
    {
        long capacityBytes = info.HasSlotAt(address) ? _allocator.BlockBytesAt(address, info) - BlockHeader.SizeBytes : 0;
        return BlockSeal.IsWhole(block, header.NotBusy, capacityBytes);
    }

    // The block, or the origin of a link, is the caller's alone.
    private bool IsIntact(Block block)
    {
        Block holder = block.Header.Kind == BlockKind.Link ? TargetOf(block.Header) : block;
        return IsIntact(holder.Start, holder.Header, holder.Address, holder.Info);
    }
}
