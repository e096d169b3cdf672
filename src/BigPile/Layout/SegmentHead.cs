using System;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace BigPile.Layout;

/// <summary>The first bytes of a segment; the words of its pages follow.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal struct SegmentHead
{
    internal const int SizeBytes = 64;

    /// <summary>The shortest segment that a pile may be made with.</summary>
    internal const long MinSegmentBytes = 4L << 20;

    /// <summary>The longest one; a larger object gets a segment of its own.</summary>
    internal const long MaxSegmentBytes = 1L << 30;

    private const int WrittenWordsFlag = 1;

    /// <summary>"BIGPILE1" as a little-endian number.</summary>
    private const ulong ExpectedMagic = 0x31454C4950474942;

    internal ulong Magic; // ExpectedMagic while the segment is in use; zeroed by its writer when it is given back
    internal int Number; // the segment's number
    internal int Flags; // WrittenWordsFlag
    internal long LengthBytes; // of the whole segment
    internal Guid PileId; // the pile that it belongs to

    /// <summary>The head of a segment.</summary>
    /// <param name="number">The segment's number.</param>
    /// <param name="lengthBytes">Its length.</param>
    /// <param name="pileId">The number of the pile.</param>
    /// <param name="hasWrittenWords">Whether all its page words and slot headers are stored, so that none of them is zero.</param>
    internal static SegmentHead For(int number, long lengthBytes, Guid pileId, bool hasWrittenWords)
    {
        Debug.Assert(lengthBytes > 0 && lengthBytes % SizeClasses.PageBytes == 0, "A segment is whole pages.");
        return new SegmentHead
        {
            Magic = ExpectedMagic,
            Number = number,
            Flags = hasWrittenWords ? WrittenWordsFlag : 0,
            LengthBytes = lengthBytes,
            PileId = pileId,
        };
    }

    /// <summary>Whether a zero page word or slot header means that the disk has lost it.</summary>
    internal readonly bool HasWrittenWords => (Flags & WrittenWordsFlag) != 0;

    /// <summary>Whether a head begins with the magic of a segment in use.</summary>
    internal static bool IsMarked(ulong magic) => magic == ExpectedMagic;

    /// <summary>How many pages the head and the page words of a segment take.</summary>
    internal static int PagesFor(int pageCount) =>
        (SizeBytes + pageCount * sizeof(ulong) + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes;

    /// <summary>Whether all bytes are equal.</summary>
    internal readonly bool IsSame(SegmentHead other)
    {
        SegmentHead mine = this;
        return MemoryMarshal.AsBytes(new ReadOnlySpan<SegmentHead>(in mine))
            .SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<SegmentHead>(in other)));
    }
}
