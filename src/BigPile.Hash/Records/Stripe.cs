using System.Runtime.InteropServices;

namespace BigPile.Hash.Records;

/// <summary>The lock and counters of one stripe. Two cache lines, so that stripes do not share one.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct Stripe
{
    /// <summary>
    /// Bit 0: a writer holds the lock. Bit 1: readers must wait. Bits 2 and up: number of changes, the sequence lock's version.
    /// </summary>
    internal long Word;

    /// <summary>The highest sequence assigned in this stripe. Written under the lock.</summary>
    internal long Sequence;

    /// <summary>The number of records of this stripe. Written under the lock. Only the sum over all stripes is exact.</summary>
    internal long Records;

    /// <summary>
    /// During a rebuild: records with lower hashes have been copied, so changes of them are repeated in the copy. Written under the lock.
    /// </summary>
    internal ulong CopiedTo;
}
