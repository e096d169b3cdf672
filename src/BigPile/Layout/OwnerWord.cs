using System.Diagnostics;

namespace BigPile.Layout;

/// <summary>The first word in a link target's payload: whose payload this is.</summary>
/// <remarks>
/// <code>
/// bit 63..60  kind of the payload, which the link's own header has no room for
/// bit 59..36  generation of the link
/// bit 35..0   address of the link in units of 8 bytes
/// </code>
/// An orphan is found by a local and exact check: the origin is a link of that generation, and points here. A link has no checksum of its
/// own: this word, which its target's checksum covers, says all that the link says.
/// </remarks>
internal readonly struct OwnerWord
{
    /// <summary>The bytes of the word.</summary>
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
