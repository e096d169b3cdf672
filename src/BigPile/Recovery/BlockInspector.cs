using System.Globalization;
using BigPile.Allocation;
using BigPile.Blocks;

namespace BigPile.Recovery;

/// <summary>Says whether a block is what was written, by what the files say and nothing else. Changes nothing.</summary>
/// <remarks>No word is followed before its range, its page and its slot were checked.</remarks>
internal sealed unsafe class BlockInspector(PagePool pool, bool checksChecksums)
{
    /// <summary>What is wrong with a block whose generation is below its page's base.</summary>
    internal const string StaleFault = "it is older than the layout of its page";

    /// <summary>A place in words.</summary>
    internal string PlaceOf(byte* block, ulong address)
    {
        Segment? segment = pool.Find(address);
        return string.Create(
            CultureInfo.InvariantCulture, $"segment {segment?.Number}, byte {block - (segment == null ? block : segment.Region.Start):N0} (address {address:x})");
    }

    /// <summary>What is wrong with a block, or nothing.</summary>
    internal string? FaultOf(byte* block, ulong address, BlockHeader header, long capacityBytes)
    {
        if (header.IsFree)
            return header.Word == BlockHeader.Free(header.Generation).Word ? null : "the header of a free slot is damaged";
        if (header.Kind == BlockKind.Link)
            return HasSoundTarget(address, header) ? null : "the link leads to no payload of its own";
        if (header.PayloadBytes > capacityBytes)
            return $"its header states {header.PayloadBytes:N0} bytes, and there is room for {capacityBytes:N0}";
        if (header.Kind == BlockKind.LinkTarget && header.PayloadBytes < BackWord.SizeBytes)
            return "the payload behind a link is shorter than its back word";
        return IsIntact(block, header, capacityBytes) ? null : "the payload does not match its checksum";
    }

    private bool IsIntact(byte* block, BlockHeader header, long capacityBytes) =>
        !checksChecksums || (BlockSeal.Fits(header.PayloadBytes, capacityBytes) && BlockSeal.IsIntact(block, header, capacityBytes));

    /// <summary>Whether a link leads to a payload that states to be its own, and is intact.</summary>
    internal bool HasSoundTarget(ulong address, BlockHeader link)
    {
        if (!TryFindRaw(link.TargetAddress, out byte* target, out long capacityBytes))
            return false;
        var header = new BlockHeader(*(ulong*)target);
        if (header.Kind != BlockKind.LinkTarget || header.PayloadBytes < BackWord.SizeBytes || header.PayloadBytes > capacityBytes)
            return false;
        var back = new BackWord(*(ulong*)(target + BlockHeader.SizeBytes));
        return back.OriginAddress == address && back.OriginGeneration == link.Generation && IsIntact(target, header, capacityBytes);
    }

    /// <summary>Whether nothing leads to a link target.</summary>
    internal bool IsOrphan(byte* target, ulong address)
    {
        var back = new BackWord(*(ulong*)(target + BlockHeader.SizeBytes));
        if (!TryFindRaw(back.OriginAddress, out byte* origin, out _))
            return true;
        BlockHeader header = new BlockHeader(*(ulong*)origin).NotBusy;
        return header.Kind != BlockKind.Link || header.TargetAddress != address || header.Generation != back.OriginGeneration;
    }

    /// <summary>Finds a block by what the file says of its page, examined or not.</summary>
    internal bool TryFindRaw(ulong address, out byte* block, out long capacityBytes)
    {
        capacityBytes = 0;
        block = null;
        if (pool.Find(address) is not { } segment)
            return false;
        long offsetBytes = segment.OffsetOf(address);
        PageWord word = segment.WordOf((int)(offsetBytes / SizeClasses.PageBytes));
        block = segment.Region.Start + offsetBytes;
        if (new BlockHeader(*(ulong*)block).Generation < word.GenerationBase)
            return false; // of a layout that is gone
        capacityBytes = word.CapacityBytes;
        return word.Info.HasSlotAt(address);
    }

    /// <summary>Where the slots of a page begin, by what the file says.</summary>
    internal PageInfo InfoAt(ulong address) =>
        pool.Find(address) is { } segment ? segment.WordOf((int)(segment.OffsetOf(address) / SizeClasses.PageBytes)).Info : default;
}
