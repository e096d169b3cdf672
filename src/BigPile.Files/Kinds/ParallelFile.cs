using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Files.Concurrency;
using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file whose operations take no notice of each other.</summary>
internal abstract class ParallelFile<TBytes>(OpenedFile file) : PreallocatedFile<TBytes>(file) where TBytes : struct, IByteStore
{
    public sealed override void ReadAt(long offset, Span<byte> destination)
    {
        FileCriticalRegion critical = FileCriticalRegion.Current;
        critical.Enter(FileNumber);
        if (offset >= 0 && offset <= Volatile.Read(ref SizeWord) - destination.Length)
        {
            Exception? failure = Bytes.Read(offset, destination);
            critical.Exit();
            if (failure != null)
                throw failure;
            GC.KeepAlive(this);
            return;
        }
        critical.Exit();
        ThrowOutOfRange(offset, destination.Length);
    }

    public sealed override void WriteAt(long offset, ReadOnlySpan<byte> source)
    {
        FileCriticalRegion critical = FileCriticalRegion.Current;
        critical.Enter(FileNumber);
        if (offset >= 0 && offset <= Volatile.Read(ref SizeWord) - source.Length && !IsReadOnly)
        {
            Exception? failure = Bytes.Write(offset, source);
            critical.Exit();
            if (failure != null)
                throw failure;
            GC.KeepAlive(this);
            return;
        }
        critical.Exit();
        WriteBehind(offset, source);
    }

    public sealed override long Append(ReadOnlySpan<byte> source)
    {
        FileCriticalRegion critical = FileCriticalRegion.Current;
        CheckWritable();
        critical.Enter(FileNumber);
        long offset;
        while ((offset = TryReserve(source.Length)) < 0)
        {
            critical.Exit();
            EnsureCapacity(EndOf(Size, source.Length));
            critical.Enter(FileNumber);
        }
        Exception? failure = Bytes.Write(offset, source);
        if (failure != null) // where nobody has come behind it
            _ = Interlocked.CompareExchange(ref SizeWord, offset, offset + source.Length);
        critical.Exit();
        if (failure != null)
            Fail(failure);
        GC.KeepAlive(this);
        return offset;
    }

    public sealed override long Expand(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        FileCriticalRegion critical = FileCriticalRegion.Current;
        CheckWritable();
        critical.Enter(FileNumber);
        long offset;
        while ((offset = TryReserve(bytes)) < 0)
        {
            critical.Exit();
            EnsureCapacity(EndOf(Size, bytes));
            critical.Enter(FileNumber);
        }
        critical.Exit();
        return offset;
    }

    private protected sealed override void SetSizeLocked(long size) => Volatile.Write(ref SizeWord, size);

    // The bytes first, and then the size that has them: who reads no further than that finds no zeros of a write to come.
    private void WriteBehind(long offset, ReadOnlySpan<byte> source)
    {
        CheckWritable();
        long end = EndOf(offset, source.Length);
        if (source.IsEmpty)
            return;
        FileCriticalRegion critical = FileCriticalRegion.Current;
        critical.Enter(FileNumber);
        while (end > Volatile.Read(ref CapacityWord))
        {
            critical.Exit();
            EnsureCapacity(end);
            critical.Enter(FileNumber);
        }
        Exception? failure = Bytes.Write(offset, source);
        if (failure == null)
            RaiseSize(end);
        critical.Exit();
        if (failure != null)
            Fail(failure);
        GC.KeepAlive(this);
    }

    private void Fail(Exception failure)
    {
        ClearBehindSize();
        throw failure;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void RaiseSize(long end)
    {
        for (long size = Volatile.Read(ref SizeWord); size < end;)
        {
            long met = Interlocked.CompareExchange(ref SizeWord, end, size);
            if (met == size)
                return;
            size = met;
        }
    }

    // Inside the file: then the room that was seen stays until the size is raised.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long TryReserve(long bytes)
    {
        while (true)
        {
            long size = Volatile.Read(ref SizeWord);
            if (bytes > Volatile.Read(ref CapacityWord) - size)
                return -1;
            if (Interlocked.CompareExchange(ref SizeWord, size + bytes, size) == size)
                return size;
        }
    }
}
