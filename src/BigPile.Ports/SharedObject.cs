using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;

namespace BigPile.Ports;

/// <summary>
/// An object in shared memory that this process holds, perhaps with others. It is free when the last holder has disposed it.
/// </summary>
/// <remarks>
/// The process that allocated an object may write it until it is first sent; from then on it is read-only. An object that is never disposed
/// is held until the arena is closed. Spans must not be used after <see cref="Dispose"/>: the memory stays mapped while this object is
/// referenced, but may belong to another object. Thread safety: any thread may read; <see cref="Dispose"/> may run only when no thread uses
/// the bytes any more.
/// </remarks>
public sealed unsafe class SharedObject : IDisposable
{
    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private int _isWritable;
    private int _isDisposed;

    internal SharedObject(ObjectTable objects, RefCounts refCounts, Reference reference, long lengthBytes, bool isWritable)
    {
        Debug.Assert(refCounts.IsClosed || refCounts.IsHeld(reference.Head), "It comes with a reference, which disposing it releases.");
        _objects = objects;
        _refCounts = refCounts;
        Reference = reference;
        LengthBytes = lengthBytes;
        _isWritable = isWritable ? 1 : 0;
    }

    /// <summary>The length in bytes, from 0.</summary>
    public long LengthBytes { get; }

    /// <summary>Whether it may still be written: it was allocated here, and neither sent nor disposed.</summary>
    public bool IsWritable => Volatile.Read(ref _isWritable) != 0 && Volatile.Read(ref _isDisposed) == 0;

    internal Reference Reference { get; }

    internal bool IsDisposed => Volatile.Read(ref _isDisposed) != 0;

    /// <summary>All bytes.</summary>
    /// <exception cref="OverflowException">The object is longer than a span can be: use <see cref="Slice"/>.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed.</exception>
    public ReadOnlySpan<byte> Bytes => Slice(0, checked((int)LengthBytes));

    /// <summary>All bytes, writable.</summary>
    /// <exception cref="OverflowException">The object is longer than a span can be: use <see cref="WritableSlice"/>.</exception>
    /// <exception cref="InvalidOperationException">The object was received, or sent.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed.</exception>
    public Span<byte> WritableBytes => WritableSlice(0, checked((int)LengthBytes));

    /// <summary>A part of the bytes.</summary>
    /// <param name="offsetBytes">The offset of the part, from 0.</param>
    /// <param name="lengthBytes">The length of the part, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">The part is not within the object.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed.</exception>
    public ReadOnlySpan<byte> Slice(long offsetBytes, int lengthBytes) => Part(offsetBytes, lengthBytes);

    /// <summary>A part of the bytes, writable.</summary>
    /// <param name="offsetBytes">The offset of the part, from 0.</param>
    /// <param name="lengthBytes">The length of the part, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">The part is not within the object.</exception>
    /// <exception cref="InvalidOperationException">The object was received, or sent.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed.</exception>
    public Span<byte> WritableSlice(long offsetBytes, int lengthBytes) => Volatile.Read(ref _isWritable) != 0
        ? Part(offsetBytes, lengthBytes)
        : throw new InvalidOperationException("The object was received, or sent: others may be reading it. Make another one.");

    /// <summary>Releases the object. Calling it again does nothing.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
            _refCounts.Release(Reference.Head);
    }

    /// <summary>Whether the object is of the arena of these reference counts; throws if it was disposed.</summary>
    internal bool IsHeldIn(RefCounts refCounts)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed) != 0 || _refCounts.IsClosed, this);
        return ReferenceEquals(_refCounts, refCounts);
    }

    internal void MakeReadOnly() => Volatile.Write(ref _isWritable, 0);

    private Span<byte> Part(long offsetBytes, int lengthBytes)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed) != 0 || _refCounts.IsClosed, this);
        ArgumentOutOfRangeException.ThrowIfNegative(offsetBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(lengthBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offsetBytes, LengthBytes - lengthBytes);
        return new Span<byte>(_objects.Data(Reference.Head) + offsetBytes, lengthBytes);
    }
}
