using System;
using System.Threading;

namespace BigPile.Allocation;

/// <summary>Tells who found no room whether some was given back meanwhile, or will be; and who frees, whether to give back.</summary>
/// <remarks>
/// Room that a flush or a trim gives back, and that of a page on its way between two heaps, or between a heap and the pool, is nowhere
/// for a moment: not in use any more, and not free yet; and it may be free an instant after a search has come by. Who searches calls
/// <see cref="Read"/> before, and <see cref="HasAdvanced"/> or <see cref="MayHaveMissed"/> when nothing was found. What ended before the
/// look is there for the search, and what had not is under way still, or is counted since.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ReclaimEvents
{
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1);

    private int _underWay;
    private int _ended;

    /// <summary>
    /// Whether so many pages are free that a whole segment may go back to the system. Each call that frees looks: nothing is between.
    /// </summary>
    internal bool IsTrimWanted { get; set; }

    /// <summary>Whether somebody gives room back just now.</summary>
    internal bool IsUnderWay => Volatile.Read(ref _underWay) != 0;

    /// <summary>States that the caller begins to give room back. Before any of it is taken away.</summary>
    internal void Begin() => Interlocked.Increment(ref _underWay);

    /// <summary>States that all of it can be used again, or that nothing comes of it.</summary>
    internal void End()
    {
        Interlocked.Increment(ref _ended); // first: who sees that nothing is under way sees this too
        Interlocked.Decrement(ref _underWay);
    }

    /// <summary>How often room was given back; taken before a search for room.</summary>
    internal int Read() => Volatile.Read(ref _ended);

    /// <summary>Whether room was given back since, which a search may have missed, and which is free now.</summary>
    /// <param name="events">What <see cref="Read"/> gave before the search.</param>
    internal bool HasAdvanced(int events) => Volatile.Read(ref _ended) != events;

    /// <summary>Whether a search that found nothing may find something now, or soon.</summary>
    /// <param name="events">What <see cref="Read"/> gave before the search.</param>
    internal bool MayHaveMissed(int events) => IsUnderWay || HasAdvanced(events);

    /// <summary>Waits for those who give room back, for a while: somebody new may always be at it.</summary>
    /// <remarks>The caller is outside of all calls, as a trim waits for those that are inside.</remarks>
    internal void Wait() => SpinWait.SpinUntil(() => !IsUnderWay, LongestWait);
}
