using System;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Memory.Concurrency;

/// <summary>An event count of transfers of memory (Reed and Kanodia 1979): tells a failed search whether it may have missed some.</summary>
/// <remarks>
/// Memory that passes from one owner to another is for a moment with neither, and a search may miss it. That is a transfer. A search calls
/// <see cref="Read"/> before it begins, and <see cref="HasAdvanced"/> or <see cref="MayHaveMissed"/> after it has failed. A transfer that
/// ended before <see cref="Read"/> is visible to the search; any other one is counted, or under way. Thread safety: all members may be
/// called concurrently.
/// </remarks>
internal sealed class EventCount
{
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1);

    private int _underWay; // transfers that have begun and not ended
    private int _ended; // the event count; wraps around

    /// <summary>Whether a transfer is under way.</summary>
    internal bool IsUnderWay => Volatile.Read(ref _underWay) != 0;

    /// <summary>Begins a transfer: before searches no longer find the memory with the owner that it leaves.</summary>
    internal void Begin() => Interlocked.Increment(ref _underWay);

    /// <summary>Ends a transfer: searches find the memory again, free or with its new owner.</summary>
    internal void End()
    {
        if (MemoryMutation.TransferCountedLate)
        {
            EndBeforeCounted();
            return;
        }
        Interlocked.Increment(ref _ended); // before the decrement: a thread that sees no transfer under way must see the new count
        CrashPoints.Pass(MemoryCrashPoint.TransferHalfEnded);
        Interlocked.Decrement(ref _underWay);
    }

    /// <summary>The number of transfers that have ended; read it before a search.</summary>
    internal int Read() => Volatile.Read(ref _ended);

    /// <summary>Whether a transfer has ended since: the search may have missed its memory, which is free now.</summary>
    /// <param name="events">What <see cref="Read"/> returned before the search.</param>
    internal bool HasAdvanced(int events)
    {
        Volatile.ReadBarrier(); // what the search loaded comes before the count; pairs with the interlocked operations of a transfer
        return Volatile.Read(ref _ended) != events;
    }

    /// <summary>Whether a search that has failed may succeed now, or soon.</summary>
    /// <param name="events">What <see cref="Read"/> returned before the search.</param>
    internal bool MayHaveMissed(int events)
    {
        Volatile.ReadBarrier(); // as in HasAdvanced: a search that missed memory sees that its transfer has begun
        return IsUnderWay || HasAdvanced(events);
    }

    /// <summary>Waits until no transfer is under way, for a second at most: new ones may always begin.</summary>
    /// <remarks>The caller must not be in a critical region: the thread that ends the transfer may wait for those.</remarks>
    internal void Wait() => SpinWait.SpinUntil(() => !IsUnderWay, LongestWait);

    private void EndBeforeCounted()
    {
        Interlocked.Decrement(ref _underWay);
        CrashPoints.Pass(MemoryCrashPoint.TransferHalfEnded);
        Interlocked.Increment(ref _ended);
    }
}
