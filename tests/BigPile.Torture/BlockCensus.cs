using System.Collections.Generic;
using System.Linq;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Torture;

/// <summary>
/// Every live block of a pile by what lies in its segments, so that one which nobody owns is found. The pile stands still.
/// </summary>
/// <remarks>The pile was flushed before: until then a block that was freed or moved may be kept for a power cut.</remarks>
internal sealed unsafe class BlockCensus
{
    private readonly Dictionary<ulong, CensusBlock> _links = [];
    private readonly List<CensusBlock> _targets = [];

    internal BlockCensus(Pile pile)
    {
        pile.Recovery.Completion.Wait();
        pile.Flush();
        using ReadScope scope = pile.Blocks.EnterReader(); // the flush has requested a trim, which waits for the region
        foreach (Segment segment in pile.Blocks.Allocator.Pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page++)
                AddPage(segment, page);
        }
    }

    /// <summary>Blocks that an application's pointer may name.</summary>
    internal List<CensusBlock> Objects { get; } = [];

    /// <summary>Blocks of tables.</summary>
    internal List<CensusBlock> Entries { get; } = [];

    /// <summary>Payloads that no link leads to.</summary>
    internal IEnumerable<CensusBlock> Orphans() =>
        _targets.Where(target => !_links.TryGetValue(target.Back.LinkAddress, out CensusBlock link)
            || link.Header.TargetAddress != target.Address || link.Header.Generation != target.Back.LinkGeneration);

    private void AddPage(Segment segment, int page)
    {
        PageWord word = segment.WordOf(page);
        PageMeta* meta = segment.Metas + page;
        if (word.IsRunHead)
            Add(meta->Start, meta->FirstAddress);
        if (!word.HasSlots)
            return;
        int slotBytes = SizeClasses.SlotBytes(word.SizeClass);
        for (int offset = 0; offset + slotBytes <= SizeClasses.PageBytes; offset += slotBytes)
            Add(meta->Start + offset, meta->FirstAddress + (ulong)(offset / SizeClasses.GranuleBytes));
    }

    private void Add(byte* start, ulong address)
    {
        var header = new BlockHeader(*(ulong*)start);
        if (header.IsFree)
            return;
        var block = new CensusBlock(address, header, new OwnerWord(*(ulong*)(start + BlockHeader.SizeBytes)));
        if (header.Kind == BlockKind.LinkTarget)
            _targets.Add(block);
        else if (header.Kind == BlockKind.TableEntry)
            Entries.Add(block);
        else
            Objects.Add(block);
        if (header.Kind == BlockKind.Link)
            _links.Add(address, block);
    }
}
