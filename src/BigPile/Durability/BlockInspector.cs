using System.Diagnostics;
using System.Globalization;
using System.Threading;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Says whether a block is what was written, by what the files say and nothing else. Changes nothing.</summary>
/// <remarks>No word is followed before its range, its page and its slot were checked.</remarks>
internal sealed unsafe class BlockInspector(PagePool pool, BlockChecksumKind checksums)
{
    /// <summary>What is wrong with a block whose generation is below its page's base.</summary>
    internal static string StaleFaultOf(BlockHeader found) =>
        found.Word == 0 ? "its header was lost: it is zero" : "it is older than the layout of its page";

    /// <summary>What is wrong with a link's target in a closed pile that no link leads to.</summary>
    internal const string OrphanFault = "nothing leads to this payload";

    /// <summary>How the pile was left.</summary>
    internal ShutdownKind Shutdown { get; init; }

    /// <summary>
    /// Whether pages may have traces of a power cut: it left the pile, or an owner that was killed since had not examined all of them.
    /// </summary>
    internal bool HasTracesOfCut { get; init; }

    /// <summary>Where the headers of moved blocks are; after a power cut nobody looks there.</summary>
    internal ShadowHeaderTable? ShadowHeaders { get; init; }

    /// <summary>The last version of an entry that was flushed, or 0 where that is not known.</summary>
    internal ulong FlushedVersion { get; set; }

    /// <summary>No entry that was put before the power cut has a version above this; what was put since is not the cut's.</summary>
    internal ulong CutVersion { get; set; }

    /// <summary>
    /// Whether a block that nobody has examined is an entry that takes others away, and was not flushed before the power was cut.
    /// </summary>
    internal bool IsUnflushedTaking(byte* block, BlockHeader header) =>
        HasTracesOfCut && FlushedVersion != 0 && RemovalEntry.IsBetween(block, header, FlushedVersion, CutVersion);

    /// <summary>How many generations are left out where one may have been given out that a power cut took.</summary>
    internal uint GenerationSkip { get; init; }

    /// <summary>The epoch of the log when it was.</summary>
    internal long Epoch { get; init; }

    /// <summary>The epoch of what is freed before the first checkpoint.</summary>
    internal long FreeEpoch => HasTracesOfCut ? Epoch + BlockHeader.AfterCut : Epoch;

    /// <summary>
    /// The header that a block counts with that nobody has examined yet: after a power cut, a deletion that was not flushed is undone.
    /// </summary>
    internal BlockHeader CurrentHeader(byte* block, ulong address, long capacityBytes)
    {
        var header = new BlockHeader(*(ulong*)block);
        if (!header.IsFree)
            return IsShadowed(header, address, out BlockHeader shadow) ? shadow : header.NotBusy;
        if (!header.IsUndoableFree || !new UndoRule(Shutdown, HasTracesOfCut, Epoch).Undoes(header))
            return header;
        return TryUndo(block, header, capacityBytes, checksums);
    }

    /// <summary>The header that a block had, if its bytes are what they were; else the undoable one that it has.</summary>
    internal static BlockHeader TryUndo(byte* block, BlockHeader undoable, long capacityBytes, BlockChecksumKind checksums)
    {
        Debug.Assert(undoable.IsUndoableFree, "The header does not say what was there.");
        BlockHeader undone = undoable.Undone(capacityBytes);
        bool isPossible = undone.CanBeUndone && undone.OwnPayloadBytes <= capacityBytes;
        return isPossible && BlockChecksum.IsValid(block, undone, capacityBytes, checksums) ? undone : undoable;
    }

    /// <summary>Whether another header counts than a block's own, and which.</summary>
    internal bool IsShadowed(BlockHeader own, ulong address, out BlockHeader shadow)
    {
        ulong* word = ShadowHeaders != null && own.IsBusy && !own.IsFree ? ShadowHeaders.Find(address, own.Generation) : null;
        shadow = word == null ? own : new BlockHeader(Volatile.Read(ref *word)).NotBusy;
        return word != null;
    }

    /// <summary>A place in words.</summary>
    internal string DescribeLocation(byte* block, ulong address)
    {
        Segment? segment = pool.Find(address);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"segment {segment?.Number}, byte {block - (segment == null ? block : segment.Region.Start):N0} (address {address:x})");
    }

    /// <summary>What is wrong with a block, or nothing.</summary>
    internal string? FaultOf(byte* block, ulong address, BlockHeader header, long capacityBytes)
    {
        if (header.IsUndoableFree && Shutdown != ShutdownKind.Closed)
            return null;
        if (header.IsFree)
            return header.Word == BlockHeader.Free(header.Generation).Word ? null : "the header of a free slot is damaged";
        if (header.Kind == BlockKind.Link)
            return HasSoundTarget(address, header) ? null : "the link leads to no payload of its own";
        if (header.PayloadBytes > capacityBytes)
            return $"its header states {header.PayloadBytes:N0} bytes, and there is room for {capacityBytes:N0}";
        if (header.Kind == BlockKind.LinkTarget && header.PayloadBytes < OwnerWord.SizeBytes)
            return "the payload behind a link is shorter than its back word";
        return BlockChecksum.IsValid(block, header, capacityBytes, checksums) ? null : "the payload does not match its checksum";
    }

    /// <summary>Whether a block without a fault has the checksum of formats 1 to 6 still.</summary>
    internal bool HasLegacyChecksum(byte* block, BlockHeader header, long capacityBytes) =>
        checksums == BlockChecksumKind.Crc32COrLegacy && !header.IsFree && header.Kind != BlockKind.Link
        && BlockChecksum.StateOf(block, header, capacityBytes, checksums) == BlockChecksumState.IntactByLegacy;

    /// <summary>Whether a link leads to a payload that states to be its own, and is intact.</summary>
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

    /// <summary>Whether nothing leads to a link target.</summary>
    internal bool IsOrphan(byte* target, ulong address)
    {
        var back = new OwnerWord(*(ulong*)(target + BlockHeader.SizeBytes));
        if (!TryFindRaw(back.LinkAddress, out byte* origin, out _))
            return true;
        BlockHeader own = new(*(ulong*)origin);
        BlockHeader header = IsShadowed(own, back.LinkAddress, out BlockHeader shadow) ? shadow : own.NotBusy;
        return header.Kind != BlockKind.Link || header.TargetAddress != address || header.Generation != back.LinkGeneration;
    }

    /// <summary>Finds a block by what the file says of its page, examined or not.</summary>
    internal bool TryFindRaw(ulong address, out byte* block, out long capacityBytes)
    {
        capacityBytes = 0;
        block = null;
        if (pool.Find(address) is not { } segment)
            return false;
        PageWord word = segment.WordOf(segment.PageOf(address));
        block = segment.Region.Start + segment.OffsetOf(address);
        return segment.HasBlockAt(address, word, out capacityBytes)
            && new BlockHeader(*(ulong*)block).Generation >= word.GenerationBase; // else of a layout that is gone
    }
}
