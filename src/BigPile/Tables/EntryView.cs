using System.Threading;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile.Tables;

/// <summary>An entry as it was found; everything read through it is valid only if <see cref="IsUnchanged"/> afterwards.</summary>
internal readonly unsafe struct EntryView(byte* start, PageInfo* infoAt, BlockHeader header, PageInfo info)
{
    private readonly BlockHeader _header = header; // as it was when the entry was found
    private readonly PageInfo _info = info; // loaded behind the header

    internal bool IsNone => start == null;

    internal byte* Payload => start + BlockHeader.SizeBytes;

    internal long PayloadBytes => _header.OwnPayloadBytes;

    /// <summary>Whether the block matches its checksum, if it is unchanged afterwards.</summary>
    internal bool IsIntact(ulong address, BlockStore blocks) => blocks.IsIntact(start, _header, address, _info);

    /// <summary>Whether what was read before this call is whole.</summary>
    internal bool IsUnchanged()
    {
        Volatile.ReadBarrier(); // pairs with the releases of freeing the block and reusing its slot
        return *(ulong*)start == _header.Word && infoAt->Word == _info.Word;
    }
}
