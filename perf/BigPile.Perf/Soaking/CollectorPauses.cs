using System;
using System.Diagnostics.Tracing;
using System.Threading;

namespace BigPile.Perf.Soaking;

/// <summary>
/// Measures the collector's pauses: of each collection, from the event that suspends threads to the one that resumes them.
/// </summary>
/// <remarks>Events come a little later, on a thread of the runtime. Thread safety: all members may be called concurrently.</remarks>
internal sealed class CollectorPauses : EventListener
{
    private const string Source = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords CollectorKeyword = (EventKeywords)0x1;
    private const int SuspendBegin = 9;
    private const int RestartEnd = 3;
    private const uint ForCollection = 1;
    private const uint ToPrepareCollection = 6;

    private DateTime? _began;
    private long _longestTicks;
    private long _longestOfAllTicks;

    /// <summary>The longest pause of all, in milliseconds.</summary>
    internal double LongestMs => TimeSpan.FromTicks(Interlocked.Read(ref _longestOfAllTicks)).TotalMilliseconds;

    /// <summary>Gives the longest pause since the last call, in milliseconds.</summary>
    internal double TakeLongestMs() => TimeSpan.FromTicks(Interlocked.Exchange(ref _longestTicks, 0)).TotalMilliseconds;

    /// <summary>Forgets what was.</summary>
    internal void Clear()
    {
        Interlocked.Exchange(ref _longestTicks, 0);
        Interlocked.Exchange(ref _longestOfAllTicks, 0);
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Source)
            EnableEvents(eventSource, EventLevel.Informational, CollectorKeyword);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventId == SuspendBegin)
            _began = eventData.Payload?[0] is uint and (ForCollection or ToPrepareCollection) ? eventData.TimeStamp : null;
        if (eventData.EventId != RestartEnd || _began is not { } began)
            return;
        _began = null;
        long ticks = (eventData.TimeStamp - began).Ticks;
        Raise(ref _longestTicks, ticks);
        Raise(ref _longestOfAllTicks, ticks);
    }

    private static void Raise(ref long longest, long ticks)
    {
        long seen = Interlocked.Read(ref longest);
        while (ticks > seen)
        {
            long before = Interlocked.CompareExchange(ref longest, ticks, seen);
            if (before == seen)
                return;
            seen = before;
        }
    }
}
