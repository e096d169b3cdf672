using System;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace BigPile.Layout;

/// <summary>The first bytes of a segment; the words of its pages follow.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal struct SegmentHead
{
    /// <summary>The bytes of the head.</summary>
    internal const int SizeBytes = 64;

    /// <summary>The shortest segment that a pile may be made with.</summary>
    internal const long MinSegmentBytes = 4L << 20;

    /// <summary>The longest one; a larger object gets a segment of its own.</summary>
    internal const long MaxSegmentBytes = 1L << 30;

    private const int WrittenWordsFlag = 1;

    /// <summary>"BIGPILE1" as a little-endian number.</summary>
    private const ulong ExpectedMagic = 0x31454C4950474942;

    internal ulong Magic;
    internal int Number;
    internal int Flags;
    internal long LengthBytes;
    internal Guid PileId;

    /// <summary>The head of a segment.</summary>
    /// <param name="number">The segment's number.</param>
    /// <param name="lengthBytes">Its length.</param>
    /// <param name="pileId">The number of the pile.</param>
    /// <param name="hasWrittenWords">Whether none of its page words is zero, used or not, and no header of a slot.</param>
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

    /// <summary>Whether a word of a page or a slot that is zero was lost: nobody has stored it.</summary>
    internal readonly bool HasWrittenWords => (Flags & WrittenWordsFlag) != 0;

    /// <summary>Whether a head begins as that of a segment in use.</summary>
    internal static bool IsMarked(ulong magic) => magic == ExpectedMagic;

    /// <summary>How many pages of a segment its head and page words take.</summary>
    internal static int PagesFor(int pageCount) =>
        (SizeBytes + pageCount * sizeof(ulong) + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes;

    /// <summary>Whether all bytes are the same.</summary>
    internal readonly bool IsSame(SegmentHead other)
    {
        SegmentHead mine = this;
        return MemoryMarshal.AsBytes(new ReadOnlySpan<SegmentHead>(in mine))
            .SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<SegmentHead>(in other)));
    }
}
