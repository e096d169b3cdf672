using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Files.Storage;

/// <summary>The bytes of a mapped file.</summary>
internal unsafe struct MappedBytes : IByteStore
{
    // The address of the first byte. Published before the capacity that it covers.
    private nint _start;
    private HeldFile? _file;
    private FileMapping? _mapping;
    private long _addressBytes;

    public readonly long CoveredBytes => _mapping?.LengthBytes ?? 0;

    public void Open(HeldFile file, BlockFileOptions options, long lengthBytes)
    {
        _file = file;
        _addressBytes = options.AddressBytes;
        OpenedFile.FillHoles(file, lengthBytes);
        Cover(lengthBytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly Exception? Read(long offset, Span<byte> destination)
    {
        Debug.Assert(offset >= 0 && offset <= CoveredBytes - destination.Length, "The bytes are mapped.");
        new ReadOnlySpan<byte>((byte*)_start + offset, destination.Length).CopyTo(destination);
        return null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly Exception? Write(long offset, ReadOnlySpan<byte> source)
    {
        Debug.Assert(offset >= 0 && offset <= CoveredBytes - source.Length, "The bytes are mapped.");
        Debug.Assert(_file!.CanWrite, "The caller has checked that the file is not read-only.");
        source.CopyTo(new Span<byte>((byte*)_start + offset, source.Length));
        return null;
    }

    public IDisposable? Cover(long lengthBytes)
    {
        if (lengthBytes == 0 || lengthBytes <= _mapping?.LengthBytes)
            return null;
        FileMapping? before = _mapping;
        _mapping = FileMapping.Map(_file!, lengthBytes, _addressBytes);
        Debug.Assert(_mapping.LengthBytes >= lengthBytes, "The mapping covers the file.");
        Volatile.Write(ref _start, (nint)_mapping.Start); // before the capacity, and so before any size
        return before;
    }

    // Windows cannot cut a mapped file: clear the bytes, and cut when the file is closed.
    public readonly long Cut(long fromSize, long toSize, long capacity)
    {
        Debug.Assert(toSize <= fromSize && fromSize <= capacity, "The bytes that go are allocated.");
        if (OperatingSystem.IsWindows())
        {
            Clear(toSize, fromSize);
            return capacity;
        }
        OpenedFile.Cut(_file!, toSize);
        return toSize;
    }

    public readonly void Flush(long offset, long length) => _mapping?.Flush();

    public readonly void CheckInvariants()
    {
        Invariant.True("MappedBytes", _start, "address that of the mapping", _start == (nint)(_mapping == null ? null : _mapping.Start));
        Invariant.True("MappedBytes", _start, "mapping in place", (_mapping != null) == (_start != 0));
        _mapping?.CheckInvariants();
    }

    public void Release()
    {
        _start = 0;
        _mapping?.Dispose();
        _mapping = null;
    }

    private readonly void Clear(long from, long to)
    {
        const int PartBytes = 1 << 30;
        for (long at = from; at < to; at += PartBytes)
            new Span<byte>((byte*)_start + at, (int)Math.Min(PartBytes, to - at)).Clear();
    }
}
