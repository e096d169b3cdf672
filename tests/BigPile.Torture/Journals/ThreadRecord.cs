using System.Runtime.InteropServices;

namespace BigPile.Torture.Journals;

/// <summary>What one thread of the child states of itself; two pairs of cache lines, so that threads do not meet.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal struct ThreadRecord
{
    internal const int SizeBytes = 256;

    internal long Operations;
    internal long StaleCount;
    internal ulong LastVersion;
    internal uint LastRevision;

    /// <summary>The window that the thread waits in.</summary>
    internal int Point;

    /// <summary>Tables of its own that the thread has made, each with one entry.</summary>
    internal int TablesMade;

    /// <summary>What becomes of the table of its own that the thread fills and drops.</summary>
    internal int GrowthState;

    /// <summary>The keys of that table that were put, from 0 on.</summary>
    internal long GrowthPut;

    /// <summary>Those of them that were removed, from 0 on.</summary>
    internal long GrowthRemoved;
}
