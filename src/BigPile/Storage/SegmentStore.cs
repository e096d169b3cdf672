using System;
using BigPile.Memory;

namespace BigPile.Storage;

/// <summary>Makes and removes the memory of segments.</summary>
/// <remarks>Called under the pool's lock, or while nobody else uses the pile.</remarks>
internal abstract class SegmentStore : IDisposable
{
    /// <summary>Where the segments are.</summary>
    internal abstract StoreKind Kind { get; }

    /// <summary>Makes the memory of a segment, all zero.</summary>
    /// <exception cref="OutOfMemoryException">There is no such memory.</exception>
    /// <exception cref="System.IO.IOException">The disk is full, or can't be written.</exception>
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
    /// <param name="generationBase">The generation that all later segments start at.</param>
    internal virtual void Withdraw(int number, uint generationBase)
    {
    }

    /// <summary>Removes what is left of a segment whose memory was freed.</summary>
    internal virtual void Remove(int number)
    {
    }

    public virtual void Dispose()
    {
    }
}
