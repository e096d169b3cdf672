using System;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>How the last owner left a mapped pile, as the superblock said when the directory was taken over.</summary>
internal sealed class LastShutdown
{
    private const int SkipBits = 12;
    private const uint LeastSkip = 256;

    /// <summary>Concludes it.</summary>
    /// <param name="state">The superblock as it was found, or that of a new pile.</param>
    /// <param name="isNew">Whether there was no pile.</param>
    /// <param name="bootId">The present start of the machine.</param>
    /// <param name="isCopied">Whether the directory has the mark of one in use elsewhere.</param>
    internal LastShutdown(SuperblockState state, bool isNew, Guid bootId, bool isCopied)
    {
        IsCopy = !isNew && isCopied;
        WasClean = isNew || (state.IsClean && !IsCopy); // a superblock that was copied later may be that of a pile closed meanwhile
        WasPowerCut = !WasClean && !BootClock.IsSame(state.BootId, bootId);
        WasCutTwice = WasPowerCut && state.HasMarksOfCut;
        HasTracesOfCut = WasPowerCut || (!WasClean && state.HasTracesOfCut);
        GenerationSkip = HasTracesOfCut ? SkipOf(state.Sequence) : 0;
    }

    /// <summary>Whether the last owner closed the pile; true for a new one.</summary>
    internal bool WasClean { get; }

    /// <summary>
    /// Whether the directory is a copy of the last owner's: its files were read at different instants. Blocks prove
    /// themselves by their checksums, as after a kill; what the tables' indexes say of them does not.
    /// </summary>
    internal bool IsCopy { get; }

    /// <summary>
    /// Whether the last owner did not, and the machine may have been started anew since: stores may be missing on the device.
    /// </summary>
    internal bool WasPowerCut { get; }

    /// <summary>
    /// Whether pages may have traces of a power cut: it was the last end, or an owner that was killed since had not examined all.
    /// </summary>
    internal bool HasTracesOfCut { get; }

    /// <summary>How many generations this owner leaves out where one may have been given out that a power cut took.</summary>
    internal uint GenerationSkip { get; }

    /// <summary>Whether the power was cut, and before that another time, and no checkpoint came in between.</summary>
    internal bool WasCutTwice { get; }

    /// <summary>The same in a word.</summary>
    internal ShutdownKind Kind => WasClean ? ShutdownKind.Closed : WasPowerCut ? ShutdownKind.PowerCut : ShutdownKind.Killed;

    // After two cuts with nothing durable in between, two owners count on from the same generation. Each skips a number of its own, so that
    // they don't give out the same ones. It is made of the superblock's sequence, which each owner raises by stating that it uses the pile;
    // Fibonacci hashing (Knuth, TAOCP 6.4) spreads these evenly.
    private static uint SkipOf(long sequence) => LeastSkip + (uint)(((ulong)sequence * 0x9E3779B97F4A7C15) >> (64 - SkipBits));
}
