using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Concurrency;

/// <summary>Striped sequence locks for replacement in place; one stripe serves many addresses.</summary>
/// <remarks>
/// A reader that sees the sequence odd or changed retries: generation and length may be the same before and after a replacement, so the
/// header alone does not tell. Deletions do not use it, as the header changes. A stripe also names the pointer address that is being
/// replaced. Readers in other processes rely on it: while it names another address, theirs does not change, so a killed writer blocks no
/// other object.
/// </remarks>
internal sealed unsafe class SeqLockStripes : IDisposable
{
    private const int AddressShift = 3; // neighbours in one cache line share a stripe

    private readonly ulong _mask;
    private readonly bool _isOwner;
    private Stripe* _stripes;

    /// <summary>Allocates stripes in memory of this process.</summary>
    internal SeqLockStripes()
    {
        _mask = (ulong)StripeCount.Default - 1;
        _isOwner = true;
        _stripes = (Stripe*)NativeMemory.AlignedAlloc((nuint)StripeCount.Default * (nuint)sizeof(Stripe), 64);
        NativeMemory.Clear(_stripes, (nuint)StripeCount.Default * (nuint)sizeof(Stripe));
    }

    /// <summary>Uses stripes in memory that outlives this object.</summary>
    /// <param name="stripes">The first stripe.</param>
    /// <param name="count">A power of two.</param>
    internal SeqLockStripes(Stripe* stripes, int count)
    {
        _mask = (ulong)count - 1;
        _stripes = stripes;
    }

    /// <summary>The bytes of all stripes.</summary>
    internal long SizeBytes => (long)(_mask + 1) * sizeof(Stripe);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Stripe* Of(ulong address) => _stripes + ((address >> AddressShift) & _mask);

    /// <summary>Ends the changes that a killed writer had begun. The stripes are not in use; the blocks are whole.</summary>
    internal void Recover()
    {
        for (ulong i = 0; i <= _mask; i++)
            _stripes[i].Lock.Recover();
    }

    public void Dispose()
    {
        if (_isOwner)
            NativeMemory.AlignedFree(_stripes);
        _stripes = null;
    }

    /// <summary>One stripe, in a cache line of its own. Its layout is stored.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    internal struct Stripe
    {
        /// <summary>The sequence lock; the processes that only read use its sequence.</summary>
        internal SequenceLock Lock;

        private ulong _address; // what a writer changes; written in the lock, before the sequence is odd

        /// <summary>
        /// The pointer address whose payload is being replaced while the sequence is odd. Valid if the sequence is unchanged after the
        /// load.
        /// </summary>
        internal ulong Address
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => Volatile.Read(ref _address);
        }

        /// <summary>Makes the sequence odd: the stores that follow must not mix with old bytes. The lock is held.</summary>
        /// <param name="address">The pointer's address, even if its payload lies behind a link.</param>
        internal void BeginChangeLocked(ulong address)
        {
            _address = address;
            Lock.BeginChange(); // stores the sequence after the address: a reader that sees it odd sees the address too
        }

        /// <summary>Makes the sequence even again.</summary>
        internal void EndChangeLocked() => Lock.EndChange();
    }
}
