using System;
using System.Runtime.InteropServices;

namespace BigPile.Allocation;

/// <summary>The first bytes of a segment; the words of its pages follow.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal struct SegmentHead
{
    /// <summary>The bytes of the head.</summary>
    internal const int SizeBytes = 64;

    /// <summary>"BIGPILE1" as a little-endian number.</summary>
    internal const ulong ExpectedMagic = 0x31454C4950474942;

    internal ulong Magic;
    internal int Number;
    internal int Reserved;
    internal long LengthBytes;
    internal Guid PileId;

    /// <summary>How many pages of a segment its head and page words take.</summary>
    internal static int PagesFor(int pageCount) =>
        (SizeBytes + pageCount * sizeof(ulong) + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes;
}
