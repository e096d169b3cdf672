using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Hash.Records;

/// <summary>
/// Sequence locks of keys, selected by the highest hash bits; so a bucket belongs to one stripe, however many buckets there are.
/// </summary>
/// <remarks>
/// A writer locks the stripe. A reader takes no lock: it reads the word before and after, and retries if it has changed. A writer that only
/// reads, as a callback does, lets readers go on; <see cref="BeginChange"/> makes them wait.
/// </remarks>
internal sealed class SeqLockStripes
{
    internal const int Count = 1 << Bits;

    private const int Bits = 8;
    private const long Held = 1;
    private const long Changing = 2;
    private const long OneChange = 4;

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

    /// <summary>Waits until no change is in progress, and returns the word to compare with.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long BeginRead(ref Stripe stripe)
    {
        long word = Volatile.Read(ref stripe.Word);
        return (word & Changing) == 0 ? word : BeginReadSlowly(ref stripe);
    }

    /// <summary>
    /// Whether nothing has changed since <see cref="BeginRead"/>. The barrier pairs with the interlocked operations of
    /// <see cref="LockAll"/> and <see cref="BeginChange"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsUnchanged(ref Stripe stripe, long seen)
    {
        Volatile.ReadBarrier();
        return ((Volatile.Read(ref stripe.Word) ^ seen) & ~Held) == 0;
    }

    /// <summary>Locks the stripe against writers; readers go on until <see cref="BeginChange"/>.</summary>
    internal static void LockAdmittingReaders(ref Stripe stripe) => Acquire(ref stripe, Held);

    /// <summary>Makes readers wait, until <see cref="Unlock"/>.</summary>
    internal static void BeginChange(ref Stripe stripe) => Interlocked.Or(ref stripe.Word, Changing);

    internal static void Unlock(ref Stripe stripe)
    {
        long word = stripe.Word;
        Volatile.Write(ref stripe.Word, (word & Changing) != 0 ? (word & ~(Held | Changing)) + OneChange : word & ~Held);
    }

    /// <summary>Locks all stripes, in ascending order.</summary>
    internal void LockAll(bool admitReaders = false)
    {
        for (int i = 0; i < Count; i++)
            Acquire(ref _stripes[i], admitReaders ? Held : Held | Changing);
    }

    internal void UnlockAll()
    {
        for (int i = 0; i < Count; i++)
            Unlock(ref _stripes[i]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Acquire(ref Stripe stripe, long bits)
    {
        long word = Volatile.Read(ref stripe.Word);
        if ((word & Held) != 0 || Interlocked.CompareExchange(ref stripe.Word, word | bits, word) != word)
            AcquireSlowly(ref stripe, bits);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AcquireSlowly(ref Stripe stripe, long bits)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            long word = Volatile.Read(ref stripe.Word);
            if ((word & Held) == 0 && Interlocked.CompareExchange(ref stripe.Word, word | bits, word) == word)
                return;
            spinner.SpinOnce();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long BeginReadSlowly(ref Stripe stripe)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            spinner.SpinOnce();
            long word = Volatile.Read(ref stripe.Word);
            if ((word & Changing) == 0)
                return word;
        }
    }
}
