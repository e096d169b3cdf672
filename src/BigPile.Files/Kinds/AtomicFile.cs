using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Files.Concurrency;
using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file whose operations are each seen whole.</summary>
/// <remarks>
/// Within the size <see cref="BlockStripes"/> keep operations apart. What raises the size has the lock, and writes where nobody reads yet;
/// it publishes the size while it has the stripes of those bytes that were there before. The size changes downwards under all stripes.
/// Order of locks: the lock of changes, then stripes.
/// </remarks>
internal abstract class AtomicFile<TBytes>(OpenedFile file) : PreallocatedFile<TBytes>(file) where TBytes : struct, IByteStore
{
    private const int MaxTries = 64;

    private readonly BlockStripes _stripes = new();

    private enum Outcome
    {
        Done,
        Met,
        NotWithin,
    }

    public sealed override void ReadAt(long offset, Span<byte> destination)
    {
        if (!BlockStripes.IsOneBlock(offset, destination.Length) || !TryReadOneBlock(offset, destination))
            ReadAny(offset, destination);
        GC.KeepAlive(this);
    }

    public sealed override void WriteAt(long offset, ReadOnlySpan<byte> source)
    {
        if (!BlockStripes.IsOneBlock(offset, source.Length) || !TryWriteOneBlock(offset, source))
            WriteAny(offset, source);
        GC.KeepAlive(this);
    }

    public sealed override long Append(ReadOnlySpan<byte> source)
    {
        lock (Changing)
        {
            CheckWritable();
            long offset = SizeWord;
            if (!source.IsEmpty)
                WriteBehindLocked(offset, source, EndOf(offset, source.Length));
            return offset;
        }
    }

    public sealed override long Expand(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        lock (Changing)
        {
            CheckWritable();
            long offset = SizeWord;
            EnsureCapacityLocked(EndOf(offset, bytes));
            Volatile.Write(ref SizeWord, offset + bytes);
            return offset;
        }
    }

    private protected sealed override void SetSizeLocked(long size)
    {
        _stripes.Lock(BlockStripes.All);
        Volatile.Write(ref SizeWord, size);
        _stripes.Unlock(BlockStripes.All);
    }

    private void CheckWithin(long offset, int length)
    {
        if (offset < 0 || offset > Size - length)
            ThrowNotWithin(offset, length);
    }

    // What nearly every read is: within one block, and met by no write. All that can be wrong is found out by the long way round.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadOneBlock(long offset, Span<byte> destination)
    {
        ref long word = ref _stripes.WordOf(offset);
        long seen = Volatile.Read(ref word);
        if ((seen & 1) != 0)
            return false;
        FileCriticalRegion critical = FileCriticalRegion.Mine;
        critical.Enter(Number);
        bool isRead = offset <= Volatile.Read(ref SizeWord) - destination.Length && Bytes.Read(offset, destination) == null;
        critical.Exit();
        Volatile.ReadBarrier();
        return isRead && Volatile.Read(ref word) == seen;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ReadAny(long offset, Span<byte> destination)
    {
        if (offset < 0 || destination.IsEmpty || offset > long.MaxValue - destination.Length)
        {
            CheckWithin(offset, destination.Length);
            return;
        }
        BlockStripes.Range range = BlockStripes.Of(offset, destination.Length);
        if (range.Count <= BlockStripes.MaxOptimistic)
            ReadOptimistic(offset, destination, range);
        else
            ReadLocked(offset, destination, range);
    }

    [SkipLocalsInit]
    private void ReadOptimistic(long offset, Span<byte> destination, BlockStripes.Range range)
    {
        Span<long> words = stackalloc long[BlockStripes.MaxOptimistic];
        ref long seen = ref words[0];
        Outcome outcome = TryRead(offset, destination, range, ref seen);
        var spinner = default(SpinWait);
        for (int tries = 1; outcome == Outcome.Met && tries < MaxTries; tries++)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
            outcome = TryRead(offset, destination, range, ref seen);
        }
        if (outcome == Outcome.Met)
            ReadLocked(offset, destination, range);
        else if (outcome == Outcome.NotWithin)
            ThrowNotWithin(offset, destination.Length);
    }

    // Nobody waits inside the file: who lowers the size has stripes, and waits for all who are inside.
    private Outcome TryRead(long offset, Span<byte> destination, BlockStripes.Range range, ref long seen)
    {
        if (!_stripes.TryBeginRead(range, ref seen))
            return Outcome.Met;
        FileCriticalRegion critical = FileCriticalRegion.Mine;
        critical.Enter(Number);
        bool isWithin = offset <= Volatile.Read(ref SizeWord) - destination.Length;
        Exception? failure = isWithin ? Bytes.Read(offset, destination) : null;
        critical.Exit();
        if (failure != null)
            throw failure;
        if (!isWithin)
            return Outcome.NotWithin;
        return _stripes.AreUnchanged(range, ref seen) ? Outcome.Done : Outcome.Met;
    }

    private void ReadLocked(long offset, Span<byte> destination, BlockStripes.Range range)
    {
        FileCriticalRegion critical = FileCriticalRegion.Mine;
        _stripes.Lock(range);
        critical.Enter(Number);
        bool isWithin = offset <= Volatile.Read(ref SizeWord) - destination.Length;
        Exception? failure = isWithin ? Bytes.Read(offset, destination) : null;
        critical.Exit();
        _stripes.Unlock(range);
        if (failure != null)
            throw failure;
        if (!isWithin)
            ThrowNotWithin(offset, destination.Length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryWriteOneBlock(long offset, ReadOnlySpan<byte> source)
    {
        if (IsReadOnly || offset > Volatile.Read(ref SizeWord) - source.Length)
            return false;
        FileCriticalRegion critical = FileCriticalRegion.Mine;
        ref long word = ref _stripes.WordOf(offset);
        BlockStripes.LockOne(ref word);
        critical.Enter(Number);
        bool isWritten = offset <= Volatile.Read(ref SizeWord) - source.Length && Bytes.Write(offset, source) == null;
        critical.Exit();
        BlockStripes.UnlockOne(ref word);
        return isWritten;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteAny(long offset, ReadOnlySpan<byte> source)
    {
        if (IsReadOnly || offset < 0 || source.IsEmpty || offset > long.MaxValue - source.Length)
        {
            CheckWritable();
            EndOf(offset, source.Length);
            return;
        }
        if (offset > Volatile.Read(ref SizeWord) - source.Length || !TryWriteWithin(offset, source))
            WriteBehind(offset, source);
    }

    private bool TryWriteWithin(long offset, ReadOnlySpan<byte> source)
    {
        FileCriticalRegion critical = FileCriticalRegion.Mine;
        BlockStripes.Range range = BlockStripes.Of(offset, source.Length);
        _stripes.Lock(range);
        critical.Enter(Number);
        bool isWithin = offset <= Volatile.Read(ref SizeWord) - source.Length;
        Exception? failure = isWithin ? Bytes.Write(offset, source) : null;
        critical.Exit();
        _stripes.Unlock(range);
        if (failure != null)
            throw failure;
        return isWithin;
    }

    private void WriteBehind(long offset, ReadOnlySpan<byte> source)
    {
        lock (Changing)
        {
            CheckWritable();
            WriteBehindLocked(offset, source, EndOf(offset, source.Length));
        }
    }

    private void WriteBehindLocked(long offset, ReadOnlySpan<byte> source, long end)
    {
        EnsureCapacityLocked(end);
        long size = SizeWord;
        long shared = Math.Min(end, size) - offset; // what was there before
        BlockStripes.Range range = shared > 0 ? BlockStripes.Of(offset, shared) : default;
        _stripes.Lock(range);
        Exception? failure = Bytes.Write(offset, source);
        if (failure == null && end > size)
            Volatile.Write(ref SizeWord, end);
        _stripes.Unlock(range);
        if (failure == null)
            return;
        ClearBehindSize();
        throw failure;
    }
}
