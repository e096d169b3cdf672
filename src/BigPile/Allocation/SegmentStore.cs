using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Allocation;

/// <summary>Makes and removes the memory of segments.</summary>
/// <remarks>Called under the pool's lock, or while nobody else uses the pile.</remarks>
internal abstract class SegmentStore : IDisposable
{
    /// <summary>Where the segments are.</summary>
    internal abstract StoreKind Kind { get; }

    /// <summary>
    /// Whether what was written through stays as it is until a later flush has ended: a power cut must leave the one or the other.
    /// </summary>
    internal virtual bool IsCopyOnWrite => false;

    /// <summary>
    /// The generation that segments begin with at least. Above 0 every word of a page and of a slot is stored, so that one which is zero
    /// was lost; at 0 memory that nobody touched is free.
    /// </summary>
    internal virtual uint LeastGeneration => 0;

    /// <summary>Makes the memory of a segment, all zero.</summary>
    /// <exception cref="OutOfMemoryException">There is no such memory.</exception>
    /// <exception cref="IOException">The disk is full, or can't be written.</exception>
    internal abstract MemoryRegion Create(int number, long lengthBytes);

    /// <summary>Says that a segment will be wanted soon; a hint.</summary>
    /// <param name="lengthBytes">Its length.</param>
    /// <param name="touchedBytes">How many of its first bytes will be written at once.</param>
    internal virtual void Prepare(long lengthBytes, long touchedBytes)
    {
    }

    /// <summary>States that a segment is in use, once its head is written.</summary>
    internal virtual void Publish(int number, MemoryRegion region)
    {
    }

    /// <summary>States that a segment is gone for ever, before its memory is freed.</summary>
    /// <param name="number">The segment.</param>
    /// <param name="generation">The generation that later segments of its numbers start at.</param>
    /// <exception cref="IOException">It is not known whether that was stated: the segment has to stay as it is, and unused.</exception>
    internal virtual void Withdraw(int number, uint generation)
    {
    }

    /// <summary>
    /// States again what was stated last, if a withdrawal that failed left that open: the segment may be used again then.
    /// </summary>
    /// <exception cref="IOException">That still can't be stated.</exception>
    internal virtual void Reconcile()
    {
    }

    /// <summary>
    /// The generations that new segments of some numbers start at, where earlier ones of the same number were given back.
    /// </summary>
    internal virtual IReadOnlyDictionary<int, uint>? Generations => null;

    /// <summary>Removes what is left of a segment whose memory was freed, and what could not be removed before.</summary>
    /// <exception cref="IOException">Something is left, which is removed the next time.</exception>
    internal virtual void Remove(int number)
    {
    }

    public virtual void Dispose()
    {
    }
}
