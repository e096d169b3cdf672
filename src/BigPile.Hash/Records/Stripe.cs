using System.Runtime.InteropServices;
using BigPile.Memory.Concurrency;

namespace BigPile.Hash.Records;

/// <summary>The lock and counters of one stripe. Two cache lines, so that stripes do not share one.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct Stripe
{
    /// <summary>Excludes writers, and tells readers that something has changed.</summary>
    internal SequenceLock Lock;

    /// <summary>The highest sequence assigned in this stripe. Written under the lock.</summary>
    internal long Sequence;

    /// <summary>The number of records of this stripe. Written under the lock. Only the sum over all stripes is exact.</summary>
    internal long Records;

    /// <summary>
    /// During a rebuild: records with lower hashes have been copied, so changes of them are repeated in the copy. Written under the lock.
    /// </summary>
    internal ulong CopiedTo;
}
