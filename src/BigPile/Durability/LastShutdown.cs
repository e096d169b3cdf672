using System;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>How the last owner left a mapped pile, as the superblock said at opening.</summary>
internal sealed class LastShutdown
{
    private const int SkipBits = 12; // 4,096 different skips
    private const uint LeastSkip = 256; // at least so many generations are skipped

    /// <summary>Derives it from the superblock.</summary>
    /// <param name="state">The superblock that was found, or that of a new pile.</param>
    /// <param name="isNew">Whether there was no pile.</param>
    /// <param name="bootId">The id of this boot.</param>
    /// <param name="isCopied">Whether the in-use mark shows that the directory is a copy.</param>
    internal LastShutdown(SuperblockState state, bool isNew, Guid bootId, bool isCopied)
    {
        IsCopy = !isNew && isCopied;
        WasClean = isNew || (state.IsClean && !IsCopy); // a superblock copied later than the segments may already say "closed"
        WasPowerCut = !WasClean && !BootClock.IsSame(state.BootId, bootId);
        WasCutTwice = WasPowerCut && state.HasMarksOfCut; // frees between the cuts have the mark of frees from now on
        HasTracesOfCut = WasPowerCut || (!WasClean && state.HasTracesOfCut);
        GenerationSkip = HasTracesOfCut ? SkipOf(state.Sequence) : 0;
    }

    /// <summary>Whether the last owner closed the pile; true for a new one.</summary>
    internal bool WasClean { get; }

    /// <summary>
    /// Whether the directory is a copy of one that was in use: its files were read at different instants. Blocks prove themselves by their
    /// checksums, as after a kill; table indexes can't be trusted.
    /// </summary>
    internal bool IsCopy { get; }

    /// <summary>
    /// Whether the last owner did not close the pile, and the machine may have rebooted since: stores may be missing on the device.
    /// </summary>
    internal bool WasPowerCut { get; }

    /// <summary>
    /// Whether pages may hold traces of a power cut: the last owner ended by one, or a later owner was killed before it recovered every
    /// page.
    /// </summary>
    internal bool HasTracesOfCut { get; }

    /// <summary>How many generations this owner skips where a power cut may have lost one that was already handed out.</summary>
    internal uint GenerationSkip { get; }

    /// <summary>Whether there were two power cuts without a checkpoint in between.</summary>
    internal bool WasCutTwice { get; }

    internal ShutdownKind Kind => WasClean ? ShutdownKind.Closed : WasPowerCut ? ShutdownKind.PowerCut : ShutdownKind.Killed;

    // After two power cuts with nothing durable in between, two owners continue from the same generation. So that they never hand out the
    // same ones, each skips a number of its own. It is derived from the superblock's sequence, which each owner raises when it marks the
    // pile as in use; Fibonacci hashing (Knuth, TAOCP 6.4) spreads the numbers evenly.
    private static uint SkipOf(long sequence) => LeastSkip + (uint)(((ulong)sequence * 0x9E3779B97F4A7C15) >> (64 - SkipBits));
}
