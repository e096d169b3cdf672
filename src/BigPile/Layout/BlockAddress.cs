namespace BigPile.Layout;

/// <summary>What words that hold the address of a block keep of it: units of 8 bytes, as in <see cref="PilePointer"/>.</summary>
internal static class BlockAddress
{
    internal const int Bits = PilePointer.AddressBits;
    internal const ulong Mask = PilePointer.AddressMask;
}
