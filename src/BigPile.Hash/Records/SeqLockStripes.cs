using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Hash.Records;

/// <summary>
/// Sequence locks of keys, selected by the highest hash bits; so a bucket belongs to one stripe, however many buckets there are.
/// </summary>
/// <remarks>
/// A writer that only reads, as a callback does, enters without a change, and lets readers go on.
/// </remarks>
internal sealed class SeqLockStripes
{
    internal const int Count = 1 << Bits;

    private const int Bits = 8;

    private readonly Stripe[] _stripes = GC.AllocateArray<Stripe>(Count, pinned: true);

    internal static int IndexOf(ulong hash) => (int)(hash >> (64 - Bits));

    internal ref Stripe this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _stripes[index];
    }

    /// <summary>The number of records of all stripes.</summary>
    internal long Records
    {
        get
        {
            long sum = 0;
            for (int i = 0; i < Count; i++)
                sum += Volatile.Read(ref _stripes[i].Records);
            return sum;
        }
    }

    internal long LastSequence
    {
        get
        {
            long last = 0;
            for (int i = 0; i < Count; i++)
                last = Math.Max(last, Volatile.Read(ref _stripes[i].Sequence));
            return last;
        }
    }

    /// <summary>Ends the writer's change, if it has begun one, and admits other writers.</summary>
    internal static void Unlock(ref Stripe stripe)
    {
        if (stripe.Lock.IsChanging)
            stripe.Lock.EndChange();
        stripe.Lock.Exit();
    }

    /// <summary>Locks all stripes, in ascending order.</summary>
    internal void LockAll(bool admitReaders = false)
    {
        for (int i = 0; i < Count; i++)
        {
            _stripes[i].Lock.Enter();
            if (!admitReaders)
                _stripes[i].Lock.BeginChange();
        }
    }

    internal void UnlockAll()
    {
        for (int i = 0; i < Count; i++)
            Unlock(ref _stripes[i]);
    }
}

/// <summary>The lock and counters of one stripe. Two cache lines, so that stripes do not share one.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct Stripe
{
    /// <summary>Excludes writers, and tells readers that something has changed.</summary>
    internal SequenceLock Lock;

    /// <summary>The highest sequence assigned in this stripe. Written under the lock.</summary>
    internal long Sequence;

    /// <summary>The number of records of this stripe. Written under the lock. Only the sum over all stripes is exact.</summary>
    internal long Records;

    /// <summary>
    /// During a rebuild: records with lower hashes have been copied, so changes of them are repeated in the copy. Written under the lock.
    /// </summary>
    internal ulong CopiedTo;
}
