using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Memory.Concurrency;

/// <summary>A thread's read-side critical region, as in RCU: while it is open, no memory that it may read is unmapped.</summary>
/// <remarks>
/// The state word is written only by the thread itself: bits 14..0 are the nesting depth, bit 15 says whether the thread has entered to
/// change something, bits 63..16 count how often it left altogether. Entering is a plain store without a fence;
/// <see cref="CriticalRegions.WaitForQuiescence"/> pays with a process-wide barrier instead.
/// Thread safety: all members but <see cref="WaitUntilLeft"/> and <see cref="Change"/> belong to the thread itself.
/// </remarks>
internal sealed class CriticalRegion(int number, int shard) : CacheLineIsolated
{
    private const int PassShift = 16;
    private const ulong OnePass = 1UL << PassShift;
    private const ulong ChangingBit = 1UL << 15;
    private const ulong DepthMask = ChangingBit - 1;
    private static readonly long SleepAfterTicks = Stopwatch.Frequency / 1_000; // then a thread that waits sleeps

    private ulong _state; // as above; written by the thread itself
    private ulong _awaitedPass; // the pass, from 1, that another thread waits for the end of; written by each that waits

#pragma warning disable CS0169, IDE0051 // padding: the runtime lays structs out last, so this keeps the next object's fields off the line
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    /// <summary>A number from 0 that no other living thread of its regions has; numbers of threads that ended are reused.</summary>
    internal int Number { get; } = number;

    /// <summary>Which part the thread uses of what is sharded, modulo the number of shards. Written by the thread itself.</summary>
    internal int Shard { get; set; } = shard;

    /// <summary>Whether the thread is in a critical region.</summary>
    internal bool IsOpen => (_state & DepthMask) != 0;

    /// <summary>Whether the thread is in a nested critical region.</summary>
    internal bool IsNested => (_state & DepthMask) > 1;

    /// <summary>How often the thread has left its outermost region. For tests.</summary>
    internal long PassCount => (long)(_state >> PassShift);

    /// <summary>Whether another thread waits for the present outermost region to end, and began to wait after it was entered.</summary>
    internal bool IsAwaited => Volatile.Read(ref _awaitedPass) == PassOf(_state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter() => Volatile.Write(ref _state, _state + 1);

    /// <summary>Enters to change something: until the outermost region ends, <see cref="CriticalRegions.Changing"/> has it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EnterChanging() => Volatile.Write(ref _state, (_state + 1) | ChangingBit);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit()
    {
        Debug.Assert(IsOpen, "A region that is left was entered.");
        ulong state = _state - 1;
        if ((state & DepthMask) == 0)
            state = (state & ~ChangingBit) + OnePass;
        Volatile.Write(ref _state, state);
    }

    /// <summary>Waits until the thread has left the region that it is in now, if any. Called by other threads.</summary>
    internal void WaitUntilLeft()
    {
        ulong seen = Volatile.Read(ref _state);
        if ((seen & DepthMask) != 0)
            WaitForEndOf(seen);
    }

    /// <summary>The region that the thread is in now, if it was entered to change something. Called by other threads.</summary>
    internal Visit? Change
    {
        get
        {
            ulong seen = Volatile.Read(ref _state);
            return (seen & ChangingBit) == 0 ? null : new Visit(this, seen);
        }
    }

    private void WaitForEndOf(ulong seen)
    {
        long start = Stopwatch.GetTimestamp();
        var spinner = default(SpinWait);
        do
        {
            // Again and again: one that waits for an earlier pass, and has not noticed its end yet, may overwrite it.
            Volatile.Write(ref _awaitedPass, PassOf(seen));
            bool isLong = Stopwatch.GetTimestamp() - start > SleepAfterTicks; // a sleep takes longer than nearly every region
            spinner.SpinOnce(sleep1Threshold: isLong ? 0 : -1);
        }
        while (PassOf(Volatile.Read(ref _state)) == PassOf(seen));
    }

    // From 1, so that 0 means that no thread has ever waited for this one.
    private static ulong PassOf(ulong state) => (state >> PassShift) + 1;

    /// <summary>An outermost region of a thread.</summary>
    internal readonly struct Visit(CriticalRegion region, ulong state)
    {
        /// <summary>Whether a thread, which asks for its own region, is still in it.</summary>
        internal bool IsOf(CriticalRegion own) => ReferenceEquals(region, own) && PassOf(own._state) == PassOf(state);

        internal void WaitUntilLeft() => region.WaitForEndOf(state);
    }
}
