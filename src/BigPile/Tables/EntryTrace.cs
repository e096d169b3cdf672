using BigPile.Layout;

namespace BigPile.Tables;

/// <summary>
/// Header and page info of an address at one instant. Each free raises the generation, so if two traces are equal nothing came and went in
/// between.
/// </summary>
internal readonly record struct EntryTrace(ulong Address, ulong Header, ulong Page)
{
    /// <summary>Whether no entry of at least so many bytes is there.</summary>
    internal bool IsNone(int leastBytes)
    {
        var header = new BlockHeader(Header);
        return header.Kind != BlockKind.TableEntry || !new PageInfo(Page).HasSlotAt(Address) || header.OwnPayloadBytes < leastBytes;
    }
}
