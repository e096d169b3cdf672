using System.Diagnostics;
using System.Numerics;

namespace BigPile.Layout;

/// <summary>What a segment states of each of its pages, in one word that lies in the segment itself and so survives in a file.</summary>
/// <remarks>
/// <code>
/// bit 63..56  the low 8 bits of the CRC-32C of the rest
/// bit 55..32  generation base: higher than any that a pointer into the page was ever given with, before its slots were laid out
/// bit 31..8   of the first page of a run: the number of pages
///             of slots: the epoch in which they were laid out, by its mark; 0 where formats 1 to 6 did
/// bit 7..0    0 not laid out; 1..200 size class plus one; 254 first page of a run; 255 later page of a run
/// </code>
/// Written by one store: a kill leaves the old layout or the new one. All zero is a page that was never used.
/// </remarks>
internal readonly struct PageWord
{
    private const int BaseShift = 32;
    private const int RunShift = 8;
    private const uint RunMask = 0xFFFFFF;
    private const uint EpochMarks = 0xFFFFFF; // from 1 on
    private const int CheckShift = 56;
    private const ulong ContentMask = (1UL << CheckShift) - 1;
    private const byte RunHeadCode = 254;
    private const byte RunTailCode = 255;

    private readonly ulong _word;

    internal PageWord(ulong word) => _word = word;

    private PageWord(byte code, uint middle, uint generationBase)
    {
        Debug.Assert(generationBase <= PilePointer.MaxGeneration, "The generation runs into the checksum.");
        Debug.Assert(middle <= RunMask, "The length of the run, or the epoch, runs into the generation.");
        ulong content = ((ulong)generationBase << BaseShift) | (middle << RunShift) | code;
        _word = CheckOf(content) | content;
    }

    internal ulong Word => _word;

    internal uint GenerationBase => (uint)(_word >> BaseShift) & PilePointer.MaxGeneration;

    /// <summary>Whether the word is what was written.</summary>
    internal bool IsIntact => CheckOf(_word & ContentMask) == (_word & ~ContentMask);

    internal bool IsUnused => Code == 0;

    internal bool IsRunHead => Code == RunHeadCode;

    internal bool IsRunTail => Code == RunTailCode;

    /// <summary>Whether the page holds slots of a class that exists.</summary>
    internal bool HasSlots => Code >= 1 && Code <= SizeClasses.Count;

    internal int SizeClass => Code - 1;

    internal int RunPages => (int)Middle;

    /// <summary>
    /// Whether a checkpoint has surely made the layout of a page of slots durable: two were made since, the first of which may have begun
    /// before. Then nothing of an older layout is left in it, whatever a power cut took.
    /// </summary>
    /// <param name="epoch">The present epoch of the log.</param>
    internal bool IsDurableIn(long epoch)
    {
        uint passed = (MarkOf(epoch) + EpochMarks - Middle) % EpochMarks;
        return HasSlots && Middle != 0 && passed is >= 2 and < EpochMarks / 2;
    }

    /// <summary>Where blocks of such a page begin; of a damaged word, or of a page without blocks of its own: nowhere.</summary>
    internal PageInfo Info => !IsIntact ? default : HasSlots ? SizeClasses.InfoOf(SizeClass) : IsRunHead ? PageInfo.OfRun() : default;

    /// <summary>The most bytes of a payload in a block of such a page.</summary>
    internal long CapacityBytes =>
        (HasSlots ? SizeClasses.SlotBytes(SizeClass) : (long)RunPages * SizeClasses.PageBytes) - BlockHeader.SizeBytes;

    private byte Code => (byte)_word;

    private uint Middle => (uint)(_word >> RunShift) & RunMask;

    private static uint MarkOf(long epoch) => (uint)((ulong)epoch % EpochMarks) + 1;

    private static ulong CheckOf(ulong content) => (ulong)BitOperations.Crc32C(0, content) << CheckShift;

    /// <summary>
    /// Whether this word of a page was written after another one of the same page: each use of a page raises its generation base.
    /// </summary>
    internal bool IsYoungerThan(PageWord other)
    {
        if (GenerationBase != other.GenerationBase)
            return GenerationBase > other.GenerationBase;
        if (IsUnused != other.IsUnused)
            return other.IsUnused;
        return IsRunHead && other.IsRunHead && RunPages < other.RunPages; // a run only ever becomes shorter
    }

    internal static PageWord Unused(uint generationBase) => new(0, 0, generationBase);

    /// <summary>Of a page that is laid out for slots of a class, in an epoch of the flush log.</summary>
    internal static PageWord Slots(int sizeClass, uint generationBase, long epoch)
    {
        Debug.Assert((uint)sizeClass < (uint)SizeClasses.Count, "The code would be that of a run, or of no page.");
        return new PageWord((byte)(sizeClass + 1), MarkOf(epoch), generationBase);
    }

    internal static PageWord RunHead(int pages, uint generationBase) => new(RunHeadCode, (uint)pages, generationBase);

    internal static PageWord RunTail(uint generationBase) => new(RunTailCode, 0, generationBase);
}
