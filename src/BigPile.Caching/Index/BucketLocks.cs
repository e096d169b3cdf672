using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>The locks of an index's buckets: a byte each, which buckets whose numbers have their low bits in common share.</summary>
/// <remarks>
/// They are in the memory of the process, also where the buckets are in a file: a lock that its owner died with is held by nobody, and no
/// damaged byte of a file keeps anybody waiting. There are so few that they stay in the cache of a processor, and so many that threads
/// hardly ever meet at one. A thread holds one at a time; only who splits buckets holds two, and there is one such thread for an index.
/// Not re-entrant. Release by the holder only; the release orders everything that the holder wrote before it.
/// </remarks>
internal readonly unsafe struct BucketLocks : IDisposable
{
    private const int LeastCount = 4096;
    private const int MostCount = 1 << 16;
    private const int CountPerProcessor = 1024;

    private readonly ulong _mask;
    private readonly byte* _taken;

    public BucketLocks()
    {
        int wanted = (int)BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * CountPerProcessor));
        int count = Math.Clamp(wanted, LeastCount, MostCount);
        _mask = (ulong)count - 1;
        _taken = (byte*)NativeMemory.AlignedAlloc((nuint)count, Bucket.SizeBytes);
        NativeMemory.Clear(_taken, (nuint)count);
    }

    /// <summary>Whether somebody has the lock of a bucket; for assertions of whoever should.</summary>
    internal bool IsTaken(ulong bucket) => Volatile.Read(ref _taken[bucket & _mask]) != 0;

    /// <summary>Whether two buckets have one lock.</summary>
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
        Debug.Assert(IsTaken(bucket), "Nobody else has given the lock back.");
        Volatile.Write(ref _taken[bucket & _mask], 0);
    }

    public void Dispose() => NativeMemory.AlignedFree(_taken);
}
