using System;
using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;

namespace BigPile.Ports;

/// <summary>Bytes in shared memory that this process holds, perhaps with others. They are free when the last holder has let go.</summary>
/// <remarks>
/// Whoever has made one writes it, and may until it is first sent; from then on all only read. <see cref="Dispose"/> lets go; one that is
/// forgotten is held until the arena is closed. Spans must not be used behind <see cref="Dispose"/>: the memory stays mapped while this
/// object is referred to, but may be another object's. Thread safety: reading is for any thread; <see cref="Dispose"/> may run only when
/// no thread uses the bytes any more.
/// </remarks>
public sealed unsafe class SharedObject : IDisposable
{
    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private int _isWritable;
    private int _isDisposed;

    internal SharedObject(ObjectTable objects, RefCounts refCounts, Reference reference, long lengthBytes, bool isWritable)
    {
        _objects = objects;
        _refCounts = refCounts;
        Reference = reference;
        LengthBytes = lengthBytes;
        _isWritable = isWritable ? 1 : 0;
    }

    /// <summary>The number of bytes, from 0.</summary>
    public long LengthBytes { get; }

    /// <summary>Whether it may still be written: it was made here, and neither sent nor let go.</summary>
    public bool IsWritable => Volatile.Read(ref _isWritable) != 0 && Volatile.Read(ref _isDisposed) == 0;

    internal Reference Reference { get; }

    /// <summary>All bytes.</summary>
    /// <exception cref="OverflowException">There are more than a span can have: take parts by <see cref="Slice"/>.</exception>
    /// <exception cref="ObjectDisposedException">It was let go.</exception>
    public ReadOnlySpan<byte> Bytes => Slice(0, checked((int)LengthBytes));

    /// <summary>All bytes, to be written.</summary>
    /// <exception cref="OverflowException">There are more than a span can have: take parts by <see cref="WritableSlice"/>.</exception>
    /// <exception cref="InvalidOperationException">It was received, or sent.</exception>
    /// <exception cref="ObjectDisposedException">It was let go.</exception>
    public Span<byte> WritableBytes => WritableSlice(0, checked((int)LengthBytes));

    /// <summary>Some of the bytes.</summary>
    /// <param name="offsetBytes">Where they begin, from 0.</param>
    /// <param name="lengthBytes">How many, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">They do not lie within the object.</exception>
    /// <exception cref="ObjectDisposedException">It was let go.</exception>
    public ReadOnlySpan<byte> Slice(long offsetBytes, int lengthBytes) => Part(offsetBytes, lengthBytes);

    /// <summary>Some of the bytes, to be written.</summary>
    /// <param name="offsetBytes">Where they begin, from 0.</param>
    /// <param name="lengthBytes">How many, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">They do not lie within the object.</exception>
    /// <exception cref="InvalidOperationException">It was received, or sent.</exception>
    /// <exception cref="ObjectDisposedException">It was let go.</exception>
    public Span<byte> WritableSlice(long offsetBytes, int lengthBytes) => Volatile.Read(ref _isWritable) != 0
        ? Part(offsetBytes, lengthBytes)
        : throw new InvalidOperationException("The object was received, or sent: others may be reading it. Make another one.");

    /// <summary>Lets the object go. Calling it again does nothing.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
            _refCounts.Release(Reference.Head);
    }

    /// <summary>Whether it is of the arena that has these objects, and held.</summary>
    internal bool IsHeldIn(RefCounts refCounts)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed) != 0 || _refCounts.IsClosed, this);
        return ReferenceEquals(_refCounts, refCounts);
    }

    /// <summary>From now on nobody writes it.</summary>
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
