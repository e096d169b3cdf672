using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Concurrency;

/// <summary>Locks and sequence counters for replacing in place, a stripe serving many addresses.</summary>
/// <remarks>
/// A replacement makes its stripe's sequence odd before its first store and even after its last, and a reader that sees it odd or
/// changed starts over: generation and length may be the same before and after, so the header alone would not tell. The lock keeps two
/// replacements of one stripe apart. Deletions come by without: the header's change tells of them. The counter has 64 bits, so it can't come round while a reader sleeps.
/// </remarks>
internal sealed unsafe class Stripes : IDisposable
{
    private const int StripesPerProcessor = 64;
    private const int AddressShift = 3; // neighbours of one cache line share a stripe

    private readonly ulong _mask;
    private Stripe* _stripes;

    internal Stripes()
    {
        uint count = Math.Clamp(BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * StripesPerProcessor)), 256, 4096);
        _mask = count - 1;
        _stripes = (Stripe*)NativeMemory.AlignedAlloc(count * (nuint)sizeof(Stripe), 64);
        NativeMemory.Clear(_stripes, count * (nuint)sizeof(Stripe));
    }

    /// <summary>The bytes that the stripes take.</summary>
    internal long SizeBytes => (long)(_mask + 1) * sizeof(Stripe);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Stripe* Of(ulong address) => _stripes + ((address >> AddressShift) & _mask);

    public void Dispose()
    {
        NativeMemory.AlignedFree(_stripes);
        _stripes = null;
    }

    /// <summary>One stripe, a cache line of its own.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    internal struct Stripe
    {
        private SpinGate _lock;
        private ulong _sequence;

        /// <summary>The sequence as a reader must see it at its start; odd while a replacement is under way.</summary>
        internal ulong Sequence
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => Volatile.Read(ref _sequence);
        }

        internal void EnterLock() => _lock.Enter();

        internal void ExitLock() => _lock.Exit();

        /// <summary>Announces stores that readers must not mix with old bytes. The lock is held.</summary>
        internal void BeginChangeLocked()
        {
            _sequence++;
            Volatile.WriteBarrier(); // the odd count is out before the first byte changes; pairs with the reader's barrier before its second look
        }

        /// <summary>Ends what <see cref="BeginChangeLocked"/> began.</summary>
        internal void EndChangeLocked() => Volatile.Write(ref _sequence, _sequence + 1);
    }
}
