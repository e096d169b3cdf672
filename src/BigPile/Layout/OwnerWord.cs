using System.Diagnostics;

namespace BigPile.Layout;

/// <summary>The first word in a link target's payload: names the link that owns it.</summary>
/// <remarks>
/// <code>
/// bit 63..60  kind of the payload, as the link's own header says link
/// bit 59..36  generation of the link
/// bit 35..0   address of the link in units of 8 bytes
/// </code>
/// A target is an orphan unless the block at that address is a link of that generation that points back: a local and exact check. A link
/// has no checksum: this word, which its target's checksum covers, has all that the link has.
/// </remarks>
internal readonly struct OwnerWord
{
    internal const int SizeBytes = 8;

    private const int KindShift = 60;

    private readonly ulong _word;

    internal OwnerWord(ulong word) => _word = word;

    internal OwnerWord(ulong linkAddress, uint linkGeneration, BlockKind kind)
    {
        Debug.Assert(linkAddress <= PilePointer.AddressMask, "The address runs into the generation.");
        Debug.Assert(linkGeneration <= PilePointer.MaxGeneration, "The generation runs into the kind.");
        _word = linkAddress | ((ulong)linkGeneration << PilePointer.AddressBits) | ((ulong)kind << KindShift);
    }

    internal ulong Word => _word;

    internal ulong LinkAddress => _word & PilePointer.AddressMask;

    internal uint LinkGeneration => (uint)(_word >> PilePointer.AddressBits) & PilePointer.MaxGeneration;

    internal BlockKind Kind => (BlockKind)(_word >> KindShift);
}
