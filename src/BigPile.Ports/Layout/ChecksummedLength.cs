using System.Diagnostics;

namespace BigPile.Ports.Layout;

/// <summary>The length of an object in one word: bits 39..0, the length in bytes; bits 63..40, a check of length and generation.</summary>
internal readonly record struct ChecksummedLength(ulong Word)
{
    internal const long MaxBytes = 1L << CheckShift;
    private const int CheckShift = 40;
    private const ulong LengthMask = (1UL << CheckShift) - 1;
    private const ulong Spread = 0x9E3779B97F4A7C15;

    internal ChecksummedLength(long lengthBytes, ulong generation)
        : this((ulong)lengthBytes | (Check((ulong)lengthBytes, generation) << CheckShift)) =>
        Debug.Assert(lengthBytes is >= 0 and < MaxBytes, "A length leaves the bits of the check alone.");

    internal long LengthBytes => (long)(Word & LengthMask);

    /// <summary>Whether the word was written for this generation.</summary>
    internal bool IsOf(ulong generation) => Word >> CheckShift == Check(Word & LengthMask, generation);

    private static ulong Check(ulong lengthBytes, ulong generation)
    {
        ulong mixed = (lengthBytes + (generation << 20) + 1) * Spread;
        return (mixed ^ (mixed >> 29)) * Spread >> CheckShift;
    }
}
