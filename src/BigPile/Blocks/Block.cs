using System.Threading;
using BigPile.Allocation;

namespace BigPile.Blocks;

/// <summary>A live block as it was found: where it is, and what its header and page said.</summary>
internal readonly unsafe struct Block(byte* start, ulong address, BlockHeader header, PageInfo info)
{
    internal readonly byte* Start = start;
    internal readonly ulong Address = address;
    internal readonly BlockHeader Header = header;
    internal readonly PageInfo Info = info;

    /// <summary>Replaces the header if it is still what was found; orders everything before and behind.</summary>
    internal bool TrySwap(BlockHeader header) =>
        Interlocked.CompareExchange(ref *(ulong*)Start, header.Word, Header.Word) == Header.Word;

    /// <summary>Replaces the header by one store, behind everything that was written before.</summary>
    internal void Publish(BlockHeader header) => Volatile.Write(ref *(ulong*)Start, header.Word);
}
