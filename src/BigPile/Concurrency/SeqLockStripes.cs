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
/// replacements of one stripe apart. Deletions come by without: the header's change tells of them. The counter has 64 bits, so it can't
/// come round while a reader sleeps. A stripe also names the pointer's address that is being replaced. Readers in other processes go by it:
/// while another address is named, theirs stands still, and a writer that was killed keeps nobody from any other object.
/// </remarks>
internal sealed unsafe class SeqLockStripes : IDisposable
{
    internal const int MinCount = 256;
    internal const int MaxCount = 4096;

    private const int StripesPerProcessor = 64;
    private const int AddressShift = 3; // neighbours of one cache line share a stripe

    private readonly ulong _mask;
    private readonly bool _isOwner;
    private Stripe* _stripes;

    /// <summary>Makes stripes in memory of this process.</summary>
    internal SeqLockStripes()
    {
        _mask = (ulong)DefaultCount - 1;
        _isOwner = true;
        _stripes = (Stripe*)NativeMemory.AlignedAlloc((nuint)DefaultCount * (nuint)sizeof(Stripe), 64);
        NativeMemory.Clear(_stripes, (nuint)DefaultCount * (nuint)sizeof(Stripe));
    }

    /// <summary>Uses stripes that lie elsewhere, and stay longer.</summary>
    /// <param name="stripes">The first of them.</param>
    /// <param name="count">A power of two.</param>
    internal SeqLockStripes(Stripe* stripes, int count)
    {
        _mask = (ulong)count - 1;
        _stripes = stripes;
    }

    /// <summary>How many stripes this machine's processors want; a power of two.</summary>
    internal static int DefaultCount { get; } =
        (int)Math.Clamp(BitOperations.RoundUpToPowerOf2((uint)(Environment.ProcessorCount * StripesPerProcessor)), MinCount, MaxCount);

    /// <summary>The bytes that the stripes take.</summary>
    internal long SizeBytes => (long)(_mask + 1) * sizeof(Stripe);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Stripe* Of(ulong address) => _stripes + ((address >> AddressShift) & _mask);

    /// <summary>Ends the changes that a writer was killed in. Nobody uses the stripes yet, and the blocks are whole again.</summary>
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

    /// <summary>One stripe, a cache line of its own.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    internal struct Stripe
    {
        private TinySpinLock _lock;
        private ulong _sequence;
        private ulong _address;

        /// <summary>The sequence as a reader must see it at its start; odd while a replacement is under way.</summary>
        internal ulong Sequence
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => Volatile.Read(ref _sequence);
        }

        /// <summary>
        /// Which pointer's payload is being replaced while the sequence is odd. Counts if the sequence is the same behind it.
        /// </summary>
        internal ulong Address
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => Volatile.Read(ref _address);
        }

        internal void EnterLock() => _lock.Enter();

        internal void ExitLock() => _lock.Exit();

        /// <summary>Announces stores that readers must not mix with old bytes. The lock is held.</summary>
        /// <param name="address">The pointer's address, also where its payload lies behind a link.</param>
        internal void BeginChangeLocked(ulong address)
        {
            _address = address;
            Volatile.Write(ref _sequence, _sequence + 1); // behind the address: whoever sees it odd sees whose it is
            // the odd count is out before the first byte changes; pairs with the reader's barrier before its second look
            Volatile.WriteBarrier();
        }

        /// <summary>Ends what <see cref="BeginChangeLocked"/> began.</summary>
        internal void EndChangeLocked() => Volatile.Write(ref _sequence, _sequence + 1);

        internal void Recover()
        {
            _lock = default;
            if ((_sequence & 1) != 0)
                EndChangeLocked();
        }
    }
}
