using System;

namespace BigPile.Hash.Format;

/// <summary>The first word of an extent: its length and kind.</summary>
/// <remarks>
/// Bits 31..0: the length of the extent, head included, in units of the alignment. Bits 39..32: <see cref="ExtentKind"/>. Bits 63..40: a
/// check of these bits, the extent's offset and the file's salt, so that a word can be trusted by itself. The length never changes while
/// the extent exists.
/// </remarks>
internal readonly record struct ExtentWord(ulong Bits)
{
    private const int KindShift = 32;
    private const int CheckShift = 40;
    private const ulong StatedMask = (1UL << CheckShift) - 1;

    internal long Units => (uint)Bits;

    internal ExtentKind Kind => (ExtentKind)(byte)(Bits >> KindShift);

    /// <summary>Whether the extent holds a valid record.</summary>
    internal bool IsLive => Kind is ExtentKind.Live or ExtentKind.LiveHiding;

    internal static ExtentWord Of(long units, ExtentKind kind, long offset, ulong salt)
    {
        ulong stated = (uint)units | ((ulong)kind << KindShift);
        return new ExtentWord(stated | (CheckOf(stated, offset, salt) << CheckShift));
    }

    /// <summary>Whether the word was written for this offset of this file.</summary>
    internal bool IsOf(long offset, ulong salt) =>
        Bits != 0 && Bits >> CheckShift == CheckOf(Bits & StatedMask, offset, salt) && Kind is > ExtentKind.None and <= ExtentKind.Dead;

    private static ulong CheckOf(ulong stated, long offset, ulong salt)
    {
        ulong high = Math.BigMul(stated ^ salt, ((ulong)offset * 0x9E3779B97F4A7C15) ^ 0xD6E8FEB86659FD93, out ulong low);
        return (high ^ low) >> CheckShift;
    }
}

/// <summary>What an extent holds, as its first word says.</summary>
internal enum ExtentKind
{
    /// <summary>No extent begins here.</summary>
    None,

    /// <summary>A record.</summary>
    Live,

    /// <summary>A record that replaced one which a power cut could bring back.</summary>
    LiveHiding,

    /// <summary>States that a key was removed, since a power cut could bring a record of it back.</summary>
    Tombstone,

    /// <summary>Nothing valid.</summary>
    Dead,
}
