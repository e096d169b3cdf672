using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Files.Concurrency;
using BigPile.Files.Storage;
using BigPile.Memory.Concurrency;

namespace BigPile.Files.Kinds;

/// <summary>A file whose operations are thread-safe, but not atomic.</summary>
internal sealed class ParallelFile<TBytes>(OpenedFile file, BlockFileKind kind) : PreallocatedFile<TBytes>(file, kind)
    where TBytes : struct, IByteStore
{
    public override void ReadAt(long offset, Span<byte> destination)
    {
        CriticalRegion critical = FileRegions.Current;
        critical.Enter();
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

    public override void WriteAt(long offset, ReadOnlySpan<byte> source)
    {
        CriticalRegion critical = FileRegions.Current;
        critical.Enter();
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

    public override long Append(ReadOnlySpan<byte> source)
    {
        CriticalRegion critical = FileRegions.Current;
        CheckWritable();
        critical.Enter();
        long offset;
        while ((offset = TryReserve(source.Length)) < 0)
        {
            critical.Exit();
            EnsureCapacity(EndOf(Size, source.Length));
            critical.Enter();
        }
        Exception? failure = Bytes.Write(offset, source);
        if (failure != null) // unless another append has followed
            _ = Interlocked.CompareExchange(ref SizeWord, offset, offset + source.Length);
        critical.Exit();
        if (failure != null)
            Fail(failure);
        GC.KeepAlive(this);
        return offset;
    }

    public override long Expand(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        CriticalRegion critical = FileRegions.Current;
        CheckWritable();
        critical.Enter();
        long offset;
        while ((offset = TryReserve(bytes)) < 0)
        {
            critical.Exit();
            EnsureCapacity(EndOf(Size, bytes));
            critical.Enter();
        }
        critical.Exit();
        return offset;
    }

    private protected override void SetSizeLocked(long size)
    {
        Debug.Assert(CapacityWord == 0, "No thread raises the size meanwhile.");
        Volatile.Write(ref SizeWord, size);
    }

    // Bytes before size: a reader that stays within the size never sees the zeros of a write in progress.
    private void WriteBehind(long offset, ReadOnlySpan<byte> source)
    {
        CheckWritable();
        long end = EndOf(offset, source.Length);
        if (source.IsEmpty)
            return;
        CriticalRegion critical = FileRegions.Current;
        critical.Enter();
        while (end > Volatile.Read(ref CapacityWord))
        {
            critical.Exit();
            EnsureCapacity(end);
            critical.Enter();
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

    // The caller is in a critical region, so the capacity cannot be lowered before the size is raised.
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
