using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Memory.Concurrency;

/// <summary>A sequence lock, as in Linux: readers take no lock, and read again if the sequence has changed meanwhile.</summary>
/// <remarks>
/// A writer enters, makes the sequence odd before the first byte changes, and even after the last; a writer that changes nothing leaves it.
/// A reader loads the sequence before its first byte and compares it after the last: if it was even and is the same, no byte changed in
/// between. The sequence has 64 bits, so it can't wrap while a reader sleeps. Its 16 bytes may lie in memory that outlives the process, or
/// that other processes read: its layout is part of a stored format.
/// </remarks>
[StructLayout(LayoutKind.Sequential)]
internal struct SequenceLock
{
    private TinySpinLock _writers; // excludes other writers of this process
    private ulong _sequence; // odd while a writer changes bytes; written under the lock

    /// <summary>Whether a writer is in; for assertions of the writer.</summary>
    internal readonly bool IsTaken => _writers.IsTaken;

    /// <summary>Whether the writer has begun a change; for the writer.</summary>
    internal readonly bool IsChanging => IsOdd(_sequence);

    /// <summary>The sequence, loaded before the first byte is read; odd while a change is under way.</summary>
    internal ulong Sequence
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _sequence);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsOdd(ulong sequence) => (sequence & 1) != 0;

    /// <summary>Waits until no change is under way, and returns the sequence.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong WaitUntilEven()
    {
        ulong sequence = Sequence;
        return IsOdd(sequence) ? WaitUntilEvenSlowly() : sequence;
    }

    /// <summary>Whether the sequence is the same as before the first byte was read.</summary>
    /// <param name="sequence">What <see cref="Sequence"/> was.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsUnchanged(ulong sequence)
    {
        if (MemoryMutation.SequenceNotCompared)
            return true;
        // The bytes are loaded before the sequence. Pairs with the barrier in BeginChange: who has read a byte of a change sees it odd.
        Volatile.ReadBarrier();
        return Volatile.Read(ref _sequence) == sequence;
    }

    /// <summary>Excludes other writers; readers go on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter() => _writers.Enter();

    /// <summary>Admits other writers.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit()
    {
        Debug.Assert(!IsChanging, "A writer ends its change before it leaves.");
        _writers.Exit();
    }

    /// <summary>Makes the sequence odd: what the writer stores next does not mix with old bytes in a read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void BeginChange()
    {
        Debug.Assert(IsTaken && !IsChanging, "The writer is in, and changes one thing at a time.");
        if (MemoryMutation.SequenceStaysEven)
            return;
        Volatile.Write(ref _sequence, _sequence + 1); // after what the writer has stored about the change
        // The odd sequence is visible before the first byte changes. Pairs with the barrier in IsUnchanged.
        Volatile.WriteBarrier();
    }

    /// <summary>Makes the sequence even again, after the last byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EndChange()
    {
        if (MemoryMutation.SequenceStaysEven)
            return;
        Debug.Assert(IsTaken && IsChanging, "The writer is in, and has begun a change.");
        Volatile.Write(ref _sequence, _sequence + 1);
    }

    /// <summary>Ends what a killed writer had begun. Nobody uses the lock, and the bytes are whole.</summary>
    internal void Recover()
    {
        _writers = default;
        if (IsChanging)
            Volatile.Write(ref _sequence, _sequence + 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ulong WaitUntilEvenSlowly()
    {
        var spinner = default(SpinWait);
        while (true)
        {
            spinner.SpinOnce();
            ulong sequence = Sequence;
            if (!IsOdd(sequence))
                return sequence;
        }
    }
}
