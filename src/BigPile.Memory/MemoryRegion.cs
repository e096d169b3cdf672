using System;

namespace BigPile.Memory;

/// <summary>A contiguous range of bytes at a fixed address, all zero when it is new.</summary>
/// <remarks>
/// Thread safety: any thread may read and write the bytes; <see cref="Dispose"/> may run only when no thread uses them any more.
/// </remarks>
public abstract unsafe class MemoryRegion : IDisposable
{
    private byte* _start;

    private protected MemoryRegion(long lengthBytes) => LengthBytes = lengthBytes;

    /// <summary>The number of bytes.</summary>
    public long LengthBytes { get; }

    /// <summary>The store that the bytes come from.</summary>
    public abstract StoreKind Kind { get; }

    /// <summary>The address of the first byte, or null once the region was disposed.</summary>
    internal byte* Start => _start;

    internal bool IsDisposed => _start == null;

    /// <summary>A view of some of the bytes; valid until <see cref="Dispose"/>.</summary>
    /// <param name="offsetBytes">The first byte's offset, from 0.</param>
    /// <param name="lengthBytes">The number of bytes, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">The view does not lie within the region.</exception>
    /// <exception cref="ObjectDisposedException">The region was disposed.</exception>
    public Span<byte> GetSpan(long offsetBytes, int lengthBytes)
    {
        ObjectDisposedException.ThrowIf(_start == null, this);
        ArgumentOutOfRangeException.ThrowIfNegative(offsetBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(lengthBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offsetBytes, LengthBytes - lengthBytes);
        return new Span<byte>(_start + offsetBytes, lengthBytes);
    }

    /// <summary>The bytes from the first on that may be stored to; the rest needs <see cref="Allocate"/> first.</summary>
    internal virtual long AllocatedBytes => LengthBytes;

    /// <summary>Has at least so many bytes be ones that may be stored to. Returns at once if they are.</summary>
    /// <exception cref="System.IO.IOException">The disk is full.</exception>
    internal virtual void Allocate(long bytes)
    {
    }

    /// <summary>Syncs changes to the device, if there is one; returns when they are durable.</summary>
    public virtual void Flush()
    {
    }

    /// <summary>Returns the memory of some bytes to the system until they are used again; they are undefined from here on.</summary>
    /// <param name="offsetBytes">The first byte's offset.</param>
    /// <param name="lengthBytes">The number of bytes.</param>
    /// <returns><see langword="false"/> where the store can't.</returns>
    internal virtual bool TryDiscard(long offsetBytes, long lengthBytes) => false;

    /// <summary>Frees the bytes. Calling it again does nothing.</summary>
    public void Dispose()
    {
        if (_start != null)
            Free();
        _start = null;
        GC.SuppressFinalize(this);
    }

    private protected void SetStart(byte* start) => _start = start;

    private protected abstract void Free();
}
