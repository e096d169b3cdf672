using System.Diagnostics;
using System.Numerics;

namespace BigPile.Layout;

/// <summary>How a page is laid out, in one word that lies in the segment and so survives in a file.</summary>
/// <remarks>
/// <code>
/// bit 63..56  the low 8 bits of the CRC-32C of the rest
/// bit 55..32  generation base: above the generation of every pointer into the page from before this layout
/// bit 31..8   of the first page of a run: the number of pages
///             of slots: the epoch in which they were laid out, as a mark (see MarkOf); 0 when formats 1 to 6 laid them out
/// bit 7..0    0 not laid out; 1..200 size class plus one; 254 first page of a run; 255 later page of a run
/// </code>
/// Written by one store: a kill leaves the old layout or the new one. All zero is a page that was never used.
/// </remarks>
internal readonly struct PageWord
{
    private const int BaseShift = 32;
    private const int RunShift = 8;
    private const uint RunMask = 0xFFFFFF;
    private const uint EpochMarks = 0xFFFFFF; // marks go from 1 on
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

    /// <summary>Whether the word matches its checksum.</summary>
    internal bool IsIntact => CheckOf(_word & ContentMask) == (_word & ~ContentMask);

    internal bool IsUnused => Code == 0;

    internal bool IsRunHead => Code == RunHeadCode;

    internal bool IsRunTail => Code == RunTailCode;

    /// <summary>Whether the page holds slots of an existing class.</summary>
    internal bool HasSlots => Code >= 1 && Code <= SizeClasses.Count;

    internal int SizeClass => Code - 1;

    internal int RunPages => (int)Middle;

    /// <summary>
    /// Whether a checkpoint has surely made the layout of a page of slots durable: two were made since, the first of which may have begun
    /// before. Then the page holds nothing of an older layout, whatever a power cut loses.
    /// </summary>
    /// <param name="epoch">The current epoch of the log.</param>
    internal bool IsDurableIn(long epoch)
    {
        uint passed = (MarkOf(epoch) + EpochMarks - Middle) % EpochMarks;
        return HasSlots && Middle != 0 && passed is >= 2 and < EpochMarks / 2;
    }

    /// <summary>Where the blocks of the page begin; nowhere if the word is damaged, or the page has no blocks of its own.</summary>
    internal PageInfo Info => !IsIntact ? default : HasSlots ? SizeClasses.InfoOf(SizeClass) : IsRunHead ? PageInfo.OfRun() : default;

    /// <summary>The most bytes of a payload in a block of the page.</summary>
    internal long CapacityBytes =>
        (HasSlots ? SizeClasses.SlotBytes(SizeClass) : (long)RunPages * SizeClasses.PageBytes) - BlockHeader.SizeBytes;

    private byte Code => (byte)_word;

    private uint Middle => (uint)(_word >> RunShift) & RunMask;

    private static uint MarkOf(long epoch) => (uint)((ulong)epoch % EpochMarks) + 1;

    private static ulong CheckOf(ulong content) => (ulong)BitOperations.Crc32C(0, content) << CheckShift;

    /// <summary>
    /// Whether this word is newer than another word of the same page: each use of a page raises its generation base.
    /// </summary>
    internal bool IsYoungerThan(PageWord other)
    {
        if (GenerationBase != other.GenerationBase)
            return GenerationBase > other.GenerationBase;
        if (IsUnused != other.IsUnused)
            return other.IsUnused;
        return IsRunHead && other.IsRunHead && RunPages < other.RunPages; // runs only become shorter
    }

    internal static PageWord Unused(uint generationBase) => new(0, 0, generationBase);

    /// <summary>The word of a page that is laid out for slots of a class, in an epoch of the flush log.</summary>
    internal static PageWord Slots(int sizeClass, uint generationBase, long epoch)
    {
        Debug.Assert((uint)sizeClass < (uint)SizeClasses.Count, "The code would be that of a run, or of no page.");
        return new PageWord((byte)(sizeClass + 1), MarkOf(epoch), generationBase);
    }

    internal static PageWord RunHead(int pages, uint generationBase) => new(RunHeadCode, (uint)pages, generationBase);

    internal static PageWord RunTail(uint generationBase) => new(RunTailCode, 0, generationBase);
}
