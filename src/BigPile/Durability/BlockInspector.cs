using System.Diagnostics;
using System.Globalization;
using System.Threading;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Decides from the files alone whether a block is what was written. Changes nothing.</summary>
/// <remarks>Never follows an address before it has checked the range, the page and the slot.</remarks>
internal sealed unsafe class BlockInspector(PagePool pool, BlockChecksumKind checksums)
{
    /// <summary>The fault of a block whose generation is below its page's base.</summary>
    internal static string StaleFaultOf(BlockHeader found) =>
        found.Word == 0 ? "its header was lost: it is zero" : "it is older than the layout of its page";

    /// <summary>The fault of a link target that no link points to, in a pile that was closed.</summary>
    internal const string OrphanFault = "nothing leads to this payload";

    /// <summary>How the last owner left the pile.</summary>
    internal ShutdownKind Shutdown { get; init; }

    /// <summary>
    /// Whether pages may hold traces of a power cut: the last owner ended by one, or a later owner was killed before it recovered every
    /// page.
    /// </summary>
    internal bool HasTracesOfCut { get; init; }

    /// <summary>The shadow headers; after a power cut they mean nothing, and this is null, or emptied before a page is recovered.</summary>
    internal ShadowHeaderTable? ShadowHeaders { get; init; }

    /// <summary>The highest entry version that was flushed; 0 if unknown.</summary>
    internal ulong FlushedVersion { get; set; }

    /// <summary>An upper bound of the versions of entries from before the power cut; later entries have higher ones.</summary>
    internal ulong CutVersion { get; set; }

    /// <summary>
    /// Whether an unrecovered block is an entry that removes others (a tombstone or a mark) and was not flushed before the power cut.
    /// </summary>
    internal bool IsUnflushedTaking(byte* block, BlockHeader header) =>
        HasTracesOfCut && FlushedVersion != 0 && RemovalEntry.IsBetween(block, header, FlushedVersion, CutVersion);

    /// <summary>How many generations to skip where a power cut may have lost one that was already handed out.</summary>
    internal uint GenerationSkip { get; init; }

    /// <summary>The log's epoch in the superblock that the last owner left.</summary>
    internal long Epoch { get; init; }

    /// <summary>The epoch that blocks freed before the first checkpoint are marked with.</summary>
    internal long FreeMarkEpoch => HasTracesOfCut ? Epoch + BlockHeader.AfterCut : Epoch;

    /// <summary>The current header of an unrecovered block. After a power cut this undoes a deletion that was not flushed.</summary>
    internal BlockHeader CurrentHeader(byte* block, ulong address, long capacityBytes)
    {
        var header = new BlockHeader(*(ulong*)block);
        if (!header.IsFree) // live: its shadow header, or its own without the busy bit
            return IsShadowed(header, address, out BlockHeader shadow) ? shadow : header.NotBusy;
        if (!header.IsUndoableFree || !new UndoRule(Shutdown, HasTracesOfCut, Epoch).Undoes(header))
            return header;
        return TryUndo(block, header, capacityBytes, checksums);
    }

    /// <summary>The header before an undoable deletion if the bytes still match it; otherwise the undoable header.</summary>
    internal static BlockHeader TryUndo(byte* block, BlockHeader undoable, long capacityBytes, BlockChecksumKind checksums)
    {
        Debug.Assert(undoable.IsUndoableFree, "The header does not say what was there.");
        BlockHeader undone = undoable.Undone(capacityBytes);
        // The bytes decide: if they do not match, the slot was used again, or its block never reached the device.
        bool isPossible = undone.CanBeUndone && undone.OwnPayloadBytes <= capacityBytes;
        return isPossible && BlockChecksum.IsValid(block, undone, capacityBytes, checksums) ? undone : undoable;
    }

    /// <summary>Whether a shadow header replaces the block's own, and which.</summary>
    internal bool IsShadowed(BlockHeader own, ulong address, out BlockHeader shadow)
    {
        ulong* word = ShadowHeaders != null && own.IsBusy && !own.IsFree ? ShadowHeaders.Find(address, own.Generation) : null;
        shadow = word == null ? own : new BlockHeader(Volatile.Read(ref *word)).NotBusy;
        return word != null;
    }

    /// <summary>Describes where a block lies, for messages.</summary>
    internal string DescribeLocation(byte* block, ulong address)
    {
        Segment? segment = pool.Find(address);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"segment {segment?.Number}, byte {block - (segment == null ? block : segment.Region.Start):N0} (address {address:x})");
    }

    internal string? FaultOf(byte* block, ulong address, BlockHeader header, long capacityBytes)
    {
        if (header.IsUndoableFree && Shutdown != ShutdownKind.Closed) // a closed pile has none
            return null;
        if (header.IsFree)
            return header.Word == BlockHeader.Free(header.Generation).Word ? null : "the header of a free slot is damaged";
        if (header.Kind == BlockKind.Link)
            return HasSoundTarget(address, header) ? null : "the link leads to no payload of its own";
        if (header.PayloadBytes > capacityBytes)
            return $"its header states {header.PayloadBytes:N0} bytes, and its slot holds {capacityBytes:N0}";
        if (header.Kind == BlockKind.LinkTarget && header.PayloadBytes < OwnerWord.SizeBytes)
            return "the payload behind a link is shorter than its owner word";
        return BlockChecksum.IsValid(block, header, capacityBytes, checksums) ? null : "the payload does not match its checksum";
    }

    /// <summary>Whether an intact block still has the checksum of formats 1 to 6.</summary>
    internal bool HasLegacyChecksum(byte* block, BlockHeader header, long capacityBytes) =>
        checksums == BlockChecksumKind.Crc32COrLegacy && !header.IsFree && header.Kind != BlockKind.Link
        && BlockChecksum.StateOf(block, header, capacityBytes, checksums) == BlockChecksumState.IntactByLegacy;

    /// <summary>Whether a link points to an intact payload whose owner word names that link.</summary>
    internal bool HasSoundTarget(ulong address, BlockHeader link)
    {
        Debug.Assert(link.Kind == BlockKind.Link, "A length would be followed as an address.");
        if (!TryFindRaw(link.TargetAddress, out byte* target, out long capacityBytes))
            return false;
        BlockHeader header = CurrentHeader(target, link.TargetAddress, capacityBytes);
        if (header.Kind != BlockKind.LinkTarget || header.PayloadBytes < OwnerWord.SizeBytes || header.PayloadBytes > capacityBytes)
            return false;
        var back = new OwnerWord(*(ulong*)(target + BlockHeader.SizeBytes));
        return back.LinkAddress == address && back.LinkGeneration == link.Generation
            && BlockChecksum.IsValid(target, header, capacityBytes, checksums);
    }

    /// <summary>Whether no link points to a link target.</summary>
    internal bool IsOrphan(byte* target, ulong address)
    {
        var back = new OwnerWord(*(ulong*)(target + BlockHeader.SizeBytes));
        if (!TryFindRaw(back.LinkAddress, out byte* origin, out _))
            return true;
        // By the current header: a link whose shadow header leads elsewhere does not keep this target.
        BlockHeader own = new(*(ulong*)origin);
        BlockHeader header = IsShadowed(own, back.LinkAddress, out BlockHeader shadow) ? shadow : own.NotBusy;
        return header.Kind != BlockKind.Link || header.TargetAddress != address || header.Generation != back.LinkGeneration;
    }

    /// <summary>Finds a block by its page word in the file, whether or not the page was recovered.</summary>
    internal bool TryFindRaw(ulong address, out byte* block, out long capacityBytes)
    {
        capacityBytes = 0;
        block = null;
        if (pool.Find(address) is not { } segment)
            return false;
        PageWord word = segment.WordOf(segment.PageOf(address));
        block = segment.Region.Start + segment.OffsetOf(address);
        return segment.HasBlockAt(address, word, out capacityBytes)
            && new BlockHeader(*(ulong*)block).Generation >= word.GenerationBase; // otherwise it belongs to an earlier layout of the page
    }
}
