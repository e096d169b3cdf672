namespace BigPile.Memory;

/// <summary>Keeps the fields of an object away from those of its neighbour, which another processor writes.</summary>
internal abstract class CacheLineIsolated
{
#pragma warning disable CS0169, IDE0051 // the field is there for its size
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051
}
