using BigPile.Layout;

namespace BigPile.Torture;

/// <summary>A live block as a census found it.</summary>
internal readonly record struct CensusBlock(ulong Address, BlockHeader Header, OwnerWord Back)
{
    /// <summary>The pointer that names it.</summary>
    internal ulong Pointer => new PilePointer(Address, Header.Generation).ToUInt64();

    public override string ToString() => $"{Header.Kind} at {new PilePointer(Address, Header.Generation)} of {Header.PayloadBytes} bytes";
}
