using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Files.Storage;
using BigPile.Memory.Checking;

namespace BigPile.Files.Kinds;

/// <summary>A file under one lock, with a read-ahead buffer.</summary>
/// <remarks>
/// The buffer is filled when a read continues near the end of the one before; other reads read just what was asked for. Writes go to the
/// system at once, and into the buffer where it has the bytes: so a kill loses nothing.
/// </remarks>
internal sealed class StandardFile(OpenedFile file) : PreallocatedFile<PositionalBytes>(file, BlockFileKind.Standard)
{
    private const int BufferBytes = 16 << 10;
    private const int NearBytes = 1 << 10; // concurrent sequential readers are slightly out of order

    // All fields are guarded by the change lock.
    private readonly byte[] _buffer = GC.AllocateUninitializedArray<byte>(BufferBytes);
    // The offset of the buffered bytes, and their number.
    private long _bufferOffset;
    private int _bufferedBytes;
    // The end of the last read.
    private long _nextOffset;

    public override void ReadAt(long offset, Span<byte> destination)
    {
        lock (ChangeLock)
        {
            if (offset < 0 || offset > SizeWord - destination.Length)
                ThrowOutOfRange(offset, destination.Length);
            if (!TryReadBuffered(offset, destination))
                ReadLocked(offset, destination);
            _nextOffset = offset + destination.Length;
        }
    }

    public override void WriteAt(long offset, ReadOnlySpan<byte> source)
    {
        lock (ChangeLock)
        {
            CheckWritable();
            WriteLocked(offset, source, EndOf(offset, source.Length));
        }
    }

    public override long Append(ReadOnlySpan<byte> source)
    {
        lock (ChangeLock)
        {
            CheckWritable();
            long offset = SizeWord;
            WriteLocked(offset, source, EndOf(offset, source.Length));
            return offset;
        }
    }

    private protected override void SetSizeLocked(long size)
    {
        Debug.Assert(ChangeLock.IsHeldByCurrentThread, "The change lock guards size and buffer.");
        _bufferedBytes = 0;
        Volatile.Write(ref SizeWord, size);
    }

    private protected override void CheckBufferLocked()
    {
        Invariant.Between("StandardFile", _bufferOffset, "buffered bytes", _bufferedBytes, 0, BufferBytes);
        if (_bufferedBytes == 0)
            return;
        Invariant.Between("StandardFile", _bufferOffset, "end of the buffered bytes", _bufferOffset + _bufferedBytes, 1, SizeWord);
        var stored = new byte[_bufferedBytes];
        Invariant.Equal("StandardFile", _bufferOffset, "failure of a read", Bytes.Read(_bufferOffset, stored), null);
        bool isSame = stored.AsSpan().SequenceEqual(_buffer.AsSpan(0, _bufferedBytes));
        Invariant.True("StandardFile", _bufferOffset, "buffer as the file", isSame);
    }

    private bool TryReadBuffered(long offset, Span<byte> destination)
    {
        Debug.Assert(_bufferedBytes == 0 || _bufferOffset + _bufferedBytes <= SizeWord, "Nothing behind the size is buffered.");
        long at = offset - _bufferOffset;
        if (at < 0 || at > _bufferedBytes - destination.Length)
            return false;
        _buffer.AsSpan((int)at, destination.Length).CopyTo(destination);
        return true;
    }

    private void ReadLocked(long offset, Span<byte> destination)
    {
        Debug.Assert(ChangeLock.IsHeldByCurrentThread, "The change lock guards size and buffer.");
        bool goesOn = offset > _nextOffset - NearBytes && offset < _nextOffset + NearBytes && destination.Length <= BufferBytes / 2;
        if (goesOn && TryReadAhead(offset))
            _buffer.AsSpan(0, destination.Length).CopyTo(destination);
        else if (Bytes.Read(offset, destination) is { } failure)
            throw failure;
    }

    private bool TryReadAhead(long offset)
    {
        Debug.Assert(offset >= 0 && offset <= SizeWord, "The caller has checked the range.");
        int ahead = (int)Math.Min(BufferBytes, SizeWord - offset);
        bool isRead = Bytes.Read(offset, _buffer.AsSpan(0, ahead)) == null; // on failure, the requested bytes alone may still be readable
        (_bufferOffset, _bufferedBytes) = (offset, isRead ? ahead : 0);
        return isRead;
    }

    private void WriteLocked(long offset, ReadOnlySpan<byte> source, long end)
    {
        if (source.IsEmpty)
            return;
        Debug.Assert(ChangeLock.IsHeldByCurrentThread, "The change lock guards size and buffer.");
        EnsureCapacityLocked(end);
        if (Bytes.Write(offset, source) is { } failure)
        {
            _bufferedBytes = 0;
            ClearBehindSize();
            throw failure;
        }
        UpdateBuffer(offset, source);
        if (end > SizeWord)
            Volatile.Write(ref SizeWord, end);
    }

    private void UpdateBuffer(long offset, ReadOnlySpan<byte> source)
    {
        long from = Math.Max(offset, _bufferOffset);
        long to = Math.Min(offset + source.Length, _bufferOffset + _bufferedBytes);
        if (from < to)
            source[(int)(from - offset)..(int)(to - offset)].CopyTo(_buffer.AsSpan((int)(from - _bufferOffset)));
    }
}
