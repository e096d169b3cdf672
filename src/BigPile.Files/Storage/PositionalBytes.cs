using System;
using System.Diagnostics;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>The bytes of a file that is accessed by positional calls.</summary>
internal struct PositionalBytes : IByteStore
{
    private HeldFile? _file;
    private PositionalCalls _calls;

    public readonly long CoveredBytes => long.MaxValue;

    public void Open(HeldFile file, BlockFileOptions options, long lengthBytes)
    {
        _file = file;
        _calls = new PositionalCalls(file, options);
        OpenedFile.FillHoles(file, lengthBytes);
    }

    public readonly Exception? Read(long offset, Span<byte> destination)
    {
        Debug.Assert(offset >= 0, "The caller has checked the range.");
        return _calls.Read(offset, destination);
    }

    public readonly Exception? Write(long offset, ReadOnlySpan<byte> source)
    {
        Debug.Assert(offset >= 0 && _file!.CanWrite, "The caller has checked the range, and that the file is not read-only.");
        return _calls.Write(offset, source);
    }

    public readonly IDisposable? Cover(long lengthBytes) => null;

    public readonly long Cut(long fromSize, long toSize, long capacity)
    {
        Debug.Assert(toSize <= fromSize && fromSize <= capacity, "The bytes that go are allocated.");
        OpenedFile.Cut(_file!, toSize);
        return toSize;
    }

    public readonly void Flush(long offset, long length)
    {
    }

    public readonly void CheckInvariants()
    {
    }

    public readonly void Release()
    {
    }
}
