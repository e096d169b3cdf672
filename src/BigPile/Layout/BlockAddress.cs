namespace BigPile.Layout;

/// <summary>How words store the address of a block: in units of 8 bytes, as in <see cref="PilePointer"/>.</summary>
internal static class BlockAddress
{
    internal const int Bits = PilePointer.AddressBits;
    internal const ulong Mask = PilePointer.AddressMask;
}
