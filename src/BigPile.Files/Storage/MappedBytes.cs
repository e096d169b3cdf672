using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>The bytes of a mapped file.</summary>
internal unsafe struct MappedBytes : IByteStore
{
    // The address of the first byte. Published before the capacity that it covers.
    private nint _start;
    private HeldFile? _file;
    private FileMapping? _mapping;
    private long _addressBytes;

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
        new ReadOnlySpan<byte>((byte*)_start + offset, destination.Length).CopyTo(destination);
        return null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly Exception? Write(long offset, ReadOnlySpan<byte> source)
    {
        source.CopyTo(new Span<byte>((byte*)_start + offset, source.Length));
        return null;
    }

    public IDisposable? Cover(long lengthBytes)
    {
        if (lengthBytes == 0 || lengthBytes <= _mapping?.LengthBytes)
            return null;
        FileMapping? before = _mapping;
        _mapping = FileMapping.Map(_file!, lengthBytes, _addressBytes);
        Volatile.Write(ref _start, (nint)_mapping.Start); // before the capacity, and so before any size
        return before;
    }

    // Windows cannot cut a mapped file: clear the bytes, and cut when the file is closed.
    public readonly long Cut(long fromSize, long toSize, long capacity)
    {
        if (OperatingSystem.IsWindows())
        {
            Clear(toSize, fromSize);
            return capacity;
        }
        OpenedFile.Cut(_file!, toSize);
        return toSize;
    }

    public readonly void Flush(long offset, long length) => _mapping?.Flush();

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
