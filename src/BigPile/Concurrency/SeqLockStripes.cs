using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Concurrency;

/// <summary>Striped sequence locks for replacement in place; one stripe serves many addresses.</summary>
/// <remarks>
/// A writer makes the stripe's sequence odd before the first byte of the payload changes, and even after the last. A reader that sees it
/// odd or changed retries: generation and length may be the same before and after, so the header alone does not tell. The lock excludes a
/// second writer of the stripe. Deletions do not use it, as the header changes. The sequence has 64 bits, so it can't wrap while a reader
/// sleeps. A stripe also names the pointer address that is being replaced. Readers in other processes rely on it: while it names another
/// address, theirs does not change, so a killed writer blocks no other object.
/// </remarks>
internal sealed unsafe class SeqLockStripes : IDisposable
{
    internal const int MinCount = 256;
    internal const int MaxCount = 4096;

    private const int StripesPerProcessor = 64;
    private const int AddressShift = 3; // neighbours in one cache line share a stripe

    private readonly ulong _mask;
    private readonly bool _isOwner;
    private Stripe* _stripes;

    /// <summary>Allocates stripes in memory of this process.</summary>
    internal SeqLockStripes()
    {
        _mask = (ulong)DefaultCount - 1;
        _isOwner = true;
        _stripes = (Stripe*)NativeMemory.AlignedAlloc((nuint)DefaultCount * (nuint)sizeof(Stripe), 64);
        NativeMemory.Clear(_stripes, (nuint)DefaultCount * (nuint)sizeof(Stripe));
    }

    /// <summary>Uses stripes in memory that outlives this object.</summary>
    /// <param name="stripes">The first stripe.</param>
    /// <param name="count">A power of two.</param>
    internal SeqLockStripes(Stripe* stripes, int count)
    {
        _mask = (ulong)count - 1;
        _stripes = stripes;
    }

    /// <summary>The number of stripes for this machine's processors; a power of two.</summary>
    internal static int DefaultCount { get; } =
        (int)Math.Clamp(BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * StripesPerProcessor)), MinCount, MaxCount);

    /// <summary>The bytes of all stripes.</summary>
    internal long SizeBytes => (long)(_mask + 1) * sizeof(Stripe);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Stripe* Of(ulong address) => _stripes + ((address >> AddressShift) & _mask);

    /// <summary>Ends the changes that a killed writer had begun. The stripes are not in use; the blocks are whole.</summary>
    internal void Recover()
    {
        for (ulong i = 0; i <= _mask; i++)
            _stripes[i].Recover();
    }

    public void Dispose()
    {
        if (_isOwner)
            NativeMemory.AlignedFree(_stripes);
        _stripes = null;
    }

    /// <summary>One stripe, in a cache line of its own.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    internal struct Stripe
    {
        private TinySpinLock _lock; // excludes other writers; in the owner's process only
        private ulong _sequence; // odd while a writer changes bytes; written under the lock
        private ulong _address; // what that writer changes; written under the lock, before the sequence

        /// <summary>The sequence, loaded with acquire semantics; odd while a replacement is under way.</summary>
        internal ulong Sequence
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => Volatile.Read(ref _sequence);
        }

        /// <summary>
        /// The pointer address whose payload is being replaced while the sequence is odd. Valid if the sequence is unchanged after the
        /// load.
        /// </summary>
        internal ulong Address
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => Volatile.Read(ref _address);
        }

        internal void EnterLock() => _lock.Enter();

        internal void ExitLock() => _lock.Exit();

        /// <summary>Makes the sequence odd: the stores that follow must not mix with old bytes. The lock is held.</summary>
        /// <param name="address">The pointer's address, even if its payload lies behind a link.</param>
        internal void BeginChangeLocked(ulong address)
        {
            _address = address;
            Volatile.Write(ref _sequence, _sequence + 1); // after the address: a reader that sees the odd sequence sees the address too
            // The odd sequence is visible before the first byte changes. Pairs with the reader's barrier before its second load of the
            // sequence.
            Volatile.WriteBarrier();
        }

        /// <summary>Makes the sequence even again.</summary>
        internal void EndChangeLocked() => Volatile.Write(ref _sequence, _sequence + 1);

        internal void Recover()
        {
            _lock = default;
            if ((_sequence & 1) != 0)
                EndChangeLocked();
        }
    }
}
