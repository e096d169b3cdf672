using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Allocation;

/// <summary>Creates and removes the memory of segments.</summary>
/// <remarks>Thread safety: the growth lock of the pool, or no other thread uses the pile.</remarks>
internal abstract class SegmentStore : IDisposable
{
    /// <summary>Where the segments are.</summary>
    internal abstract StoreKind Kind { get; }

    /// <summary>
    /// Whether flushed blocks are copy-on-write: a power cut must leave the old state or the new one.
    /// </summary>
    internal virtual bool IsCopyOnWrite => false;

    /// <summary>
    /// The lowest generation of a new segment. Above 0, all words of pages and headers of slots are stored, so a zero one was lost; at 0,
    /// untouched memory is free.
    /// </summary>
    internal virtual uint LeastGeneration => 0;

    /// <summary>
    /// Whether a segment of a number that is in no use can be created: nothing is there that somebody may need. What is left of an earlier
    /// one goes.
    /// </summary>
    /// <exception cref="IOException">That could not be found out, or it can't be removed: another number may do.</exception>
    internal virtual bool IsFree(int number) => true;

    /// <summary>Creates the memory of a segment, all zero.</summary>
    /// <exception cref="OutOfMemoryException">There is no such memory.</exception>
    /// <exception cref="IOException">The disk is full, or can't be written.</exception>
    internal abstract MemoryRegion Create(int number, long lengthBytes);

    /// <summary>Lists a segment as in use, once its head is written.</summary>
    internal virtual void Publish(int number, MemoryRegion region)
    {
    }

    /// <summary>Strikes a segment from the list for good, before its memory is freed.</summary>
    /// <param name="number">The segment.</param>
    /// <param name="generation">The generation that later segments of its numbers start at.</param>
    /// <exception cref="IOException">It is not known whether it was struck: the segment has to stay as it is, and unused.</exception>
    internal virtual void Withdraw(int number, uint generation)
    {
    }

    /// <summary>
    /// Makes the list on disk agree with the process, if a withdrawal that failed left that open. Afterwards the segment may be used again.
    /// </summary>
    /// <exception cref="IOException">The list still can't be written.</exception>
    internal virtual void Reconcile()
    {
    }

    /// <summary>
    /// The generations at which new segments of some numbers start, where earlier ones were given back.
    /// </summary>
    internal virtual IReadOnlyDictionary<int, uint>? Generations => null;

    /// <summary>Removes the file of a segment whose memory was freed, and files that could not be removed before.</summary>
    /// <exception cref="IOException">A file is left; the next call removes it.</exception>
    internal virtual void Remove(int number)
    {
    }

    public virtual void Dispose()
    {
    }
}
