using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>The locks of an index's buckets: a byte each. Buckets with the same low bits of their numbers share a lock.</summary>
/// <remarks>
/// The locks are in the process's memory even if the buckets are in a file: a kill releases them, and damage in a file cannot block a
/// thread. They are few enough to stay in a processor's cache, and enough that threads seldom contend. A thread holds one lock at a time;
/// only the thread that splits a bucket holds two, and an index has one such thread at a time. Not re-entrant. Only the holder may
/// release; a release orders all stores of the holder before it.
/// </remarks>
internal readonly unsafe struct BucketLocks : IDisposable
{
    private const int LeastCount = 4096;
    private const int MostCount = 1 << 16;
    private const int CountPerProcessor = 1024;

    private readonly ulong _mask; // a bucket's number and this: its lock
    private readonly byte* _taken; // a byte for each lock: 1 while a thread holds it

    public BucketLocks()
    {
        int wanted = (int)BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * CountPerProcessor));
        int count = Math.Clamp(wanted, LeastCount, MostCount);
        _mask = (ulong)count - 1;
        _taken = (byte*)NativeMemory.AlignedAlloc((nuint)count, Bucket.SizeBytes);
        NativeMemory.Clear(_taken, (nuint)count);
    }

    /// <summary>Whether some thread holds the lock of a bucket. For assertions.</summary>
    internal bool IsTaken(ulong bucket) => Volatile.Read(ref _taken[bucket & _mask]) != 0;

    /// <summary>Whether two buckets share one lock.</summary>
    internal bool IsShared(ulong one, ulong other) => ((one ^ other) & _mask) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter(ulong bucket)
    {
        ref byte taken = ref _taken[bucket & _mask];
        return taken == 0 && Interlocked.CompareExchange(ref taken, 1, 0) == 0;
    }

    internal void Enter(ulong bucket)
    {
        var spinner = default(SpinWait);
        while (!TryEnter(bucket))
            spinner.SpinOnce(sleep1Threshold: -1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit(ulong bucket)
    {
        Debug.Assert(IsTaken(bucket), "The caller holds the lock.");
        Volatile.Write(ref _taken[bucket & _mask], 0);
    }

    public void Dispose() => NativeMemory.AlignedFree(_taken);
}
