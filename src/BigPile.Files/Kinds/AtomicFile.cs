using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Files.Concurrency;
using BigPile.Files.Storage;
using BigPile.Memory.Concurrency;

namespace BigPile.Files.Kinds;

/// <summary>A file whose operations are atomic.</summary>
/// <remarks>
/// Within the size, <see cref="SeqLockStripes"/> keep operations apart. An operation that raises the size holds the change lock, writes
/// behind the size, where nothing is read, and publishes the new size while it holds the stripes of the existing bytes. The size is lowered
/// under all stripes. Lock order: the change lock, then stripes.
/// </remarks>
internal sealed class AtomicFile<TBytes>(OpenedFile file, BlockFileKind kind) : PreallocatedFile<TBytes>(file, kind)
    where TBytes : struct, IByteStore
{
    private const int MaxTries = 64;

    private readonly SeqLockStripes _stripes = new();

    private enum Outcome
    {
        Done,
        Conflict,
        OutOfRange,
    }

    public override void ReadAt(long offset, Span<byte> destination)
    {
        if (!SeqLockStripes.IsOneBlock(offset, destination.Length) || !TryReadOneBlock(offset, destination))
            ReadAny(offset, destination);
        GC.KeepAlive(this);
    }

    public override void WriteAt(long offset, ReadOnlySpan<byte> source)
    {
        if (!SeqLockStripes.IsOneBlock(offset, source.Length) || !TryWriteOneBlock(offset, source))
            WriteAny(offset, source);
        GC.KeepAlive(this);
    }

    public override long Append(ReadOnlySpan<byte> source)
    {
        lock (ChangeLock)
        {
            CheckWritable();
            long offset = SizeWord;
            if (!source.IsEmpty)
                WriteBehindLocked(offset, source, EndOf(offset, source.Length));
            return offset;
        }
    }

    private protected override void SetSizeLocked(long size)
    {
        Debug.Assert(ChangeLock.IsHeldByCurrentThread, "No thread raises the size meanwhile.");
        _stripes.Lock(SeqLockStripes.All);
        Volatile.Write(ref SizeWord, size);
        _stripes.Unlock(SeqLockStripes.All);
    }

    private void CheckWithin(long offset, int length)
    {
        if (offset < 0 || offset > Size - length)
            ThrowOutOfRange(offset, length);
    }

    // The common case: within one block, and no concurrent write. Every failure is diagnosed by ReadAny.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadOneBlock(long offset, Span<byte> destination)
    {
        ref SequenceLock stripe = ref _stripes.LockOf(offset);
        ulong seen = stripe.Sequence;
        if (SequenceLock.IsOdd(seen))
            return false;
        CriticalRegion critical = FileRegions.Current;
        critical.Enter();
        bool isRead = offset <= Volatile.Read(ref SizeWord) - destination.Length && Bytes.Read(offset, destination) == null;
        critical.Exit();
        return isRead && stripe.IsUnchanged(seen);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ReadAny(long offset, Span<byte> destination)
    {
        if (offset < 0 || destination.IsEmpty || offset > long.MaxValue - destination.Length)
        {
            CheckWithin(offset, destination.Length);
            return;
        }
        SeqLockStripes.Range range = SeqLockStripes.Of(offset, destination.Length);
        if (range.Count <= SeqLockStripes.MaxOptimistic)
            ReadOptimistic(offset, destination, range);
        else
            ReadLocked(offset, destination, range);
    }

    [SkipLocalsInit]
    private void ReadOptimistic(long offset, Span<byte> destination, SeqLockStripes.Range range)
    {
        Debug.Assert(range.Count is > 0 and <= SeqLockStripes.MaxOptimistic, "There is a sequence to remember for each stripe.");
        Span<ulong> sequences = stackalloc ulong[SeqLockStripes.MaxOptimistic];
        ref ulong seen = ref sequences[0];
        Outcome outcome = TryRead(offset, destination, range, ref seen);
        var spinner = default(SpinWait);
        for (int tries = 1; outcome == Outcome.Conflict && tries < MaxTries; tries++)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
            outcome = TryRead(offset, destination, range, ref seen);
        }
        if (outcome == Outcome.Conflict)
            ReadLocked(offset, destination, range);
        else if (outcome == Outcome.OutOfRange)
            ThrowOutOfRange(offset, destination.Length);
    }

    // Nothing waits inside the region: lowering the size holds stripes while it waits for quiescence.
    private Outcome TryRead(long offset, Span<byte> destination, SeqLockStripes.Range range, ref ulong seen)
    {
        if (!_stripes.TryBeginRead(range, ref seen))
            return Outcome.Conflict;
        CriticalRegion critical = FileRegions.Current;
        critical.Enter();
        bool isWithin = offset <= Volatile.Read(ref SizeWord) - destination.Length;
        Exception? failure = isWithin ? Bytes.Read(offset, destination) : null;
        critical.Exit();
        if (failure != null)
            throw failure;
        if (!isWithin)
            return Outcome.OutOfRange;
        return _stripes.AreUnchanged(range, ref seen) ? Outcome.Done : Outcome.Conflict;
    }

    private void ReadLocked(long offset, Span<byte> destination, SeqLockStripes.Range range)
    {
        CriticalRegion critical = FileRegions.Current;
        _stripes.Lock(range);
        critical.Enter();
        bool isWithin = offset <= Volatile.Read(ref SizeWord) - destination.Length;
        Exception? failure = isWithin ? Bytes.Read(offset, destination) : null;
        critical.Exit();
        _stripes.Unlock(range);
        if (failure != null)
            throw failure;
        if (!isWithin)
            ThrowOutOfRange(offset, destination.Length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryWriteOneBlock(long offset, ReadOnlySpan<byte> source)
    {
        if (IsReadOnly || offset > Volatile.Read(ref SizeWord) - source.Length)
            return false;
        CriticalRegion critical = FileRegions.Current;
        ref SequenceLock stripe = ref _stripes.LockOf(offset);
        SeqLockStripes.LockOne(ref stripe);
        critical.Enter();
        bool isWritten = offset <= Volatile.Read(ref SizeWord) - source.Length && Bytes.Write(offset, source) == null;
        critical.Exit();
        SeqLockStripes.UnlockOne(ref stripe);
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
        CriticalRegion critical = FileRegions.Current;
        SeqLockStripes.Range range = SeqLockStripes.Of(offset, source.Length);
        _stripes.Lock(range);
        critical.Enter();
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
        lock (ChangeLock)
        {
            CheckWritable();
            WriteBehindLocked(offset, source, EndOf(offset, source.Length));
        }
    }

    private void WriteBehindLocked(long offset, ReadOnlySpan<byte> source, long end)
    {
        Debug.Assert(ChangeLock.IsHeldByCurrentThread, "No thread raises the size meanwhile.");
        Debug.Assert(!source.IsEmpty && end == offset + source.Length, "The file grows to hold the bytes.");
        EnsureCapacityLocked(end);
        long size = SizeWord;
        long shared = Math.Min(end, size) - offset; // the bytes that overlap the old size
        SeqLockStripes.Range range = shared > 0 ? SeqLockStripes.Of(offset, shared) : default;
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
