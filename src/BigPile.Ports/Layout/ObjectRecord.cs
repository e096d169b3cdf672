using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Ports.Layout;

/// <summary>The four words of a granule: its owner, and the state of the object that begins at it.</summary>
/// <remarks>
/// An object lives while its holder mask is not zero; one atomic instruction ends it. Its granules' owner words need no change then: a
/// reference whose generation is not current, or whose first granule has no holders, is dead for good.
/// </remarks>
internal readonly unsafe struct ObjectRecord(byte* at)
{
    internal const long Bytes = 32;

    /// <summary>
    /// The <see cref="Reference"/> of the object that the granule belongs or last belonged to. Changed by compare-and-swap from a dead
    /// reference.
    /// </summary>
    internal ref ulong Owner => ref Unsafe.AsRef<ulong>(at);

    /// <summary>A bit for each process that holds the object that begins here. Interlocked.</summary>
    internal ref ulong Holders => ref Unsafe.AsRef<ulong>(at + 8);

    /// <summary>The number of objects that have begun here. Written only by the process that has just become the first holder.</summary>
    internal ref ulong Generation => ref Unsafe.AsRef<ulong>(at + 16);

    /// <summary>The <see cref="ChecksummedLength"/> of the object that begins here. Written by its first holder.</summary>
    internal ref ulong Length => ref Unsafe.AsRef<ulong>(at + 24);
}

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

    internal bool IsOf(ulong generation) => Word >> CheckShift == Check(Word & LengthMask, generation);

    private static ulong Check(ulong lengthBytes, ulong generation)
    {
        ulong mixed = (lengthBytes + (generation << 20) + 1) * Spread;
        return (mixed ^ (mixed >> 29)) * Spread >> CheckShift;
    }
}
