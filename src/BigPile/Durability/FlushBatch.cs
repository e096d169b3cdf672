using System;
using System.Diagnostics;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>The bytes that a flush collects for its log: space for the head, then the body.</summary>
/// <remarks>
/// Native memory, freed with the flush. A managed array of so many megabytes, and the smaller ones it outgrew, would stay on the large
/// object heap until the next full collection. Thread safety: under the flush lock.
/// </remarks>
internal sealed class FlushBatch : IDisposable
{
    private const int FirstBytes = 64 * 1024; // doubled when it is full

    private NativeRegion _region = new(FirstBytes); // replaced by a larger one as the batch grows

    internal FlushBatch()
    {
        LengthBytes = FlushLog.HeadBytes;
        Bytes.Clear(); // the head: FlushLog fills it
    }

    internal int LengthBytes { get; private set; }

    /// <summary>Whether nothing was added.</summary>
    internal bool IsEmpty => LengthBytes == FlushLog.HeadBytes;

    internal Span<byte> Bytes => _region.GetSpan(0, LengthBytes);

    /// <summary>Extends the batch, and returns the new bytes; the caller writes all of them.</summary>
    /// <exception cref="OutOfMemoryException">The system has no memory.</exception>
    internal Span<byte> Add(int lengthBytes)
    {
        Debug.Assert((long)LengthBytes + lengthBytes <= Array.MaxLength, "The batch is too long.");
        int neededBytes = LengthBytes + lengthBytes;
        if (neededBytes > _region.LengthBytes)
            Grow(Math.Max(neededBytes, _region.LengthBytes * 2));
        LengthBytes = neededBytes;
        return Bytes[^lengthBytes..];
    }

    public void Dispose() => _region.Dispose();

    private void Grow(long capacityBytes)
    {
        var region = new NativeRegion(capacityBytes);
        Bytes.CopyTo(region.GetSpan(0, LengthBytes));
        _region.Dispose();
        _region = region;
    }
}
