using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>
/// The locks of an index's buckets, a byte each, and a count of moves to an earlier line for each. Buckets with the same low bits of their
/// numbers share a lock and a count.
/// </summary>
/// <remarks>
/// The locks are in the process's memory even if the buckets are in a file: a kill releases them, and damage in a file cannot block a
/// thread. They are few enough to stay in a processor's cache, and enough that threads seldom contend. A thread holds one lock at a time;
/// only the thread that splits a bucket holds two, and an index has one such thread at a time.
/// </remarks>
internal readonly unsafe struct BucketLocks : IDisposable
{
    private const int LeastCount = 4096;
    private const int MostCount = 1 << 16;
    private const int CountPerProcessor = 1024;

    private readonly ulong _mask; // a bucket's number and this: its lock
    private readonly TinySpinLock* _locks; // a byte each
    private readonly uint* _moves; // for each lock; written by who holds it

    public BucketLocks()
    {
        int wanted = (int)BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * CountPerProcessor));
        int count = Math.Clamp(wanted, LeastCount, MostCount);
        _mask = (ulong)count - 1;
        _locks = (TinySpinLock*)NativeMemory.AlignedAlloc((nuint)count, Bucket.SizeBytes);
        NativeMemory.Clear(_locks, (nuint)count);
        _moves = (uint*)NativeMemory.AllocZeroed((nuint)count, sizeof(uint));
    }

    /// <summary>Whether some thread holds the lock of a bucket. For assertions.</summary>
    internal bool IsTaken(ulong bucket) => _locks[bucket & _mask].IsTaken;

    /// <summary>Whether two buckets share one lock.</summary>
    internal bool IsShared(ulong one, ulong other) => ((one ^ other) & _mask) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter(ulong bucket) => _locks[bucket & _mask].TryEnter();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter(ulong bucket) => _locks[bucket & _mask].Enter();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit(ulong bucket) => _locks[bucket & _mask].Exit();

    /// <summary>How many entries moved to an earlier line of their bucket. Acquire.</summary>
    internal uint MovesIn(ulong bucket) => Volatile.Read(ref _moves[bucket & _mask]);

    /// <summary>Counts a move, behind the copy and before the entry's former slot is emptied. The lock is held.</summary>
    internal void CountMove(ulong bucket)
    {
        Volatile.Write(ref _moves[bucket & _mask], _moves[bucket & _mask] + 1);
        // Who finds the former slot or its line's marks empty sees the count. Pairs with a reader's barrier before it loads the count.
        Volatile.WriteBarrier();
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_locks);
        NativeMemory.Free(_moves);
    }
}
