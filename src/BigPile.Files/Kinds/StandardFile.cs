using System;
using System.IO;
using System.Threading;
using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file behind one lock, with a buffer for reading on.</summary>
/// <remarks>
/// The buffer is filled when a read goes on where the one before it ended; else as much is read as was asked for. What is written goes to
/// the system at once, and into the buffer where that has the bytes: so nothing is lost with the process. No room is taken ahead.
/// </remarks>
internal sealed class StandardFile : IBlockFile
{
    private const long ClosedSize = -1;
    private const int BufferBytes = 16 << 10;

    private readonly Lock _lock = new();
    private readonly OpenedFile _file;
    private readonly PositionalCalls _calls;
    private readonly byte[] _buffer = GC.AllocateUninitializedArray<byte>(BufferBytes);
    private long _bufferOffset;
    private int _bufferedBytes;
    private long _nextOffset = -1;
    private long _size;

    internal StandardFile(OpenedFile file)
    {
        _file = file;
        _calls = new PositionalCalls(file.File, file.Options);
        _size = file.File.LengthBytes;
    }

    public string Path => _file.Path;

    public BlockFileKind Kind => BlockFileKind.Standard;

    public bool IsReadOnly => _file.Options.ReadOnly;

    public long Size
    {
        get
        {
            long size = Volatile.Read(ref _size);
            if (size == ClosedSize)
                FileFault.Closed(Path);
            return size;
        }
    }

    public void ReadAt(long offset, Span<byte> destination)
    {
        lock (_lock)
        {
            if (offset < 0 || offset > _size - destination.Length)
                ThrowNotWithin(offset, destination.Length);
            if (!TryReadBuffered(offset, destination))
                ReadLocked(offset, destination);
            _nextOffset = offset + destination.Length;
        }
    }

    public void WriteAt(long offset, ReadOnlySpan<byte> source)
    {
        lock (_lock)
        {
            CheckWritable();
            WriteLocked(offset, source);
        }
    }

    public long Append(ReadOnlySpan<byte> source)
    {
        lock (_lock)
        {
            CheckWritable();
            long offset = _size;
            WriteLocked(offset, source);
            return offset;
        }
    }

    public long Expand(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        lock (_lock)
        {
            CheckWritable();
            long offset = _size;
            SetSizeLocked(EndOf(offset, bytes));
            return offset;
        }
    }

    public void Truncate(long size)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(size);
        lock (_lock)
        {
            CheckWritable();
            SetSizeLocked(size);
        }
    }

    public void Synchronize(bool hard, long offset = 0, long length = long.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        _ = Size;
        if (!hard)
            return;
        try
        {
            _file.Sync();
        }
        catch (ObjectDisposedException)
        {
            FileFault.Closed(Path);
        }
    }

    public void Close()
    {
        lock (_lock)
        {
            if (_size == ClosedSize)
                return;
            Volatile.Write(ref _size, ClosedSize);
            _file.Dispose();
        }
    }

    public void Dispose() => Close();

    private void CheckWritable()
    {
        _ = Size;
        if (IsReadOnly)
            FileFault.ReadOnly(Path);
    }

    private void ThrowNotWithin(long offset, int length)
    {
        long size = Size;
        if (offset < 0)
            FileFault.BadOffset(offset);
        FileFault.PastEnd(Path, offset, length, size);
    }

    private bool TryReadBuffered(long offset, Span<byte> destination)
    {
        long at = offset - _bufferOffset;
        if (at < 0 || at > _bufferedBytes - destination.Length)
            return false;
        _buffer.AsSpan((int)at, destination.Length).CopyTo(destination);
        return true;
    }

    private void ReadLocked(long offset, Span<byte> destination)
    {
        if (offset != _nextOffset || destination.Length > BufferBytes / 2)
        {
            if (_calls.Read(offset, destination) is { } failure)
                throw failure;
            return;
        }
        int ahead = (int)Math.Min(BufferBytes, _size - offset);
        _bufferedBytes = 0;
        if (_calls.Read(offset, _buffer.AsSpan(0, ahead)) is { } failureAhead)
            throw failureAhead;
        (_bufferOffset, _bufferedBytes) = (offset, ahead);
        _buffer.AsSpan(0, destination.Length).CopyTo(destination);
    }

    // What lies behind the end goes first: if the disk has no room for it, it is cut away again, and nothing was written over.
    private void WriteLocked(long offset, ReadOnlySpan<byte> source)
    {
        long end = EndOf(offset, source.Length);
        if (source.IsEmpty)
            return;
        if (end > _size)
        {
            CheckLimit(end);
            int within = (int)Math.Clamp(_size - offset, 0, source.Length);
            if (_calls.Write(offset + within, source[within..]) is { } failureBehind)
                Fail(failureBehind, source.Length);
            source = source[..within];
        }
        UpdateBuffer(offset, source);
        if (!source.IsEmpty && _calls.Write(offset, source) is { } failure)
        {
            _bufferedBytes = 0;
            Fail(failure, source.Length);
        }
        if (end > _size)
            Volatile.Write(ref _size, end);
    }

    private void Fail(Exception failure, int bytes)
    {
        _file.Restore(_size);
        throw failure is IOException io && FileFault.IsDiskFull(io) ? FileFault.DiskFull(Path, bytes, failure) : failure;
    }

    private void UpdateBuffer(long offset, ReadOnlySpan<byte> source)
    {
        long from = Math.Max(offset, _bufferOffset);
        long to = Math.Min(offset + source.Length, _bufferOffset + _bufferedBytes);
        if (from < to)
            source[(int)(from - offset)..(int)(to - offset)].CopyTo(_buffer.AsSpan((int)(from - _bufferOffset)));
    }

    private void SetSizeLocked(long size)
    {
        if (size > _size)
        {
            CheckLimit(size);
            _file.Extend(_size, size, size);
        }
        else if (size < _size)
        {
            OpenedFile.Cut(_file.File, size);
            _bufferedBytes = 0;
        }
        Volatile.Write(ref _size, size);
    }

    private void CheckLimit(long end)
    {
        if (end > _file.Options.MaxSize)
            throw FileFault.LimitReached(Path, end, _file.Options.MaxSize);
    }

    private static long EndOf(long offset, long length)
    {
        if (offset < 0 || offset > long.MaxValue - length)
            FileFault.BadOffset(offset);
        return offset + length;
    }
}
