using System.Diagnostics;
using System.Threading;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>A live block as it was found: its location, and what its header and page said.</summary>
/// <remarks>The current header is the block's first word, or its shadow header if it has one.</remarks>
internal readonly unsafe struct Block(byte* start, ulong* word, ulong address, BlockHeader header, PageInfo info)
{
    // The word that holds the current header: the block's own, or its shadow header.
    private readonly ulong* _word = word;

    internal readonly byte* Start = start; // its own header, in front of the payload
    internal readonly ulong Address = address; // the pointer's, in units of 8 bytes
    internal readonly BlockHeader Header = header; // the current header when it was found
    internal readonly PageInfo Info = info; // of its page, loaded behind the header

    /// <summary>Whether the current header is a shadow header.</summary>
    internal bool IsShadowed => _word != (ulong*)Start;

    /// <summary>The block's own header, in front of the payload.</summary>
    internal BlockHeader OwnHeader => new(Volatile.Read(ref *(ulong*)Start));

    /// <summary>Replaces the current header if it did not change since; a full fence.</summary>
    internal bool TrySwap(BlockHeader header)
    {
        Debug.Assert(!Header.IsBusy && !Header.IsFree, "A block that is busy or free is not the caller's to take.");
        return BlockTransitions.TrySwap(_word, Header, header);
    }

    /// <summary>Replaces the current header by one store with release.</summary>
    internal void Publish(BlockHeader header) => BlockTransitions.Store(_word, header);
}
