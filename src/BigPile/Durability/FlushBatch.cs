using System;
using System.Diagnostics;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>The bytes that a flush collects for its log: room for the head, then the body.</summary>
/// <remarks>
/// In memory of the system, which goes back with the flush. An array of so many megabytes, and those that it outgrew, would lie on the
/// managed heap until the next collection of everything, and those of the flushes until then beside them. Thread safety: under the flush's
/// lock.
/// </remarks>
internal sealed class FlushBatch : IDisposable
{
    private const int FirstBytes = 64 * 1024;

    private NativeRegion _region = new(FirstBytes);

    internal FlushBatch()
    {
        LengthBytes = FlushLog.HeadBytes;
        Bytes.Clear();
    }

    internal int LengthBytes { get; private set; }

    /// <summary>Whether nothing was added.</summary>
    internal bool IsEmpty => LengthBytes == FlushLog.HeadBytes;

    internal Span<byte> Bytes => _region.GetSpan(0, LengthBytes);

    /// <summary>Makes room behind what is there, to be written as a whole.</summary>
    /// <exception cref="OutOfMemoryException">There is none.</exception>
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
