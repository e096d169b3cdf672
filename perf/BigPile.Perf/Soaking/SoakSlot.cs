namespace BigPile.Perf.Soaking;

/// <summary>What must be behind a pointer of a worker's own.</summary>
internal struct SoakSlot
{
    internal PilePointer Pointer;
    internal uint Id;
    internal int LengthBytes;
    internal ushort Version;
    internal SoakShape Shape;
}
