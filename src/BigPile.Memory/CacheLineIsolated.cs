using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>Separates the fields of an object from those of its neighbour, to avoid false sharing.</summary>
internal abstract class CacheLineIsolated
{
#pragma warning disable CS0169, IDE0051 // the field is there for its size
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051
}

/// <summary>Padding of two cache lines, which the processor fetches as a pair.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct CacheLinePair;
