using System.Runtime.InteropServices;

namespace BigPile.Concurrency;

/// <summary>Keeps the fields of an object away from those of its neighbour, which another processor writes.</summary>
internal abstract class CacheLineIsolated
{
#pragma warning disable CS0169, IDE0051 // the field is there for its size
    private readonly LinePair _room;
#pragma warning restore CS0169, IDE0051

    /// <summary>Two lines, which the processor fetches as a pair.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct LinePair;
}
