using System.Diagnostics;
using System.Threading;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>A live block as it was found: where it is, and what its header and page said.</summary>
/// <remarks>The header that counts is the block's first word, but for one that was moved: its own stays until the next flush.</remarks>
internal readonly unsafe struct Block(byte* start, ulong* word, ulong address, BlockHeader header, PageInfo info)
{
    private readonly ulong* _word = word;

    internal readonly byte* Start = start;
    internal readonly ulong Address = address;
    internal readonly BlockHeader Header = header;
    internal readonly PageInfo Info = info;

    /// <summary>Whether the header is elsewhere than in front of the payload.</summary>
    internal bool IsShadowed => _word != (ulong*)Start;

    /// <summary>The word in front of the payload.</summary>
    internal BlockHeader OwnHeader => new(Volatile.Read(ref *(ulong*)Start));

    /// <summary>Replaces the header if it is still what was found; orders everything before and behind.</summary>
    internal bool TrySwap(BlockHeader header)
    {
        Debug.Assert(!Header.IsBusy && !Header.IsFree, "A block that is busy or free is not the caller's to take.");
        Debug.Assert(header.IsFree || header.Generation == Header.Generation, "A block keeps its generation while it lives.");
        return Interlocked.CompareExchange(ref *_word, header.Word, Header.Word) == Header.Word;
    }

    /// <summary>Replaces the header by one store, behind everything that was written before.</summary>
    internal void Publish(BlockHeader header)
    {
        Debug.Assert(header.IsFree || header.Generation == Header.Generation, "A block keeps its generation while it lives.");
        Volatile.Write(ref *_word, header.Word);
    }
}
