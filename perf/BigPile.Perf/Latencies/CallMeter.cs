using System.Diagnostics;
using System.Globalization;
using System.Threading;
using BigPile.Perf.Scales;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Latencies;

/// <summary>Makes calls at a fixed rate on the calling thread, and records the duration of each. Allocates nothing.</summary>
/// <remarks>
/// Each call is due at a fixed instant, however long the previous calls took, and its response time counts from there (no coordinated
/// omission). Between calls the thread spins: a sleep would give up the processor as a blocked call does. Thread safety: none.
/// </remarks>
internal sealed class CallMeter
{
    private const double NsPerSecond = 1e9;
    private const long LongNs = 1_000_000;
    private const long SwitchNs = 5_000; // a thread that gives up the processor does not get it back in less
    private const int MostLengths = 2; // a rate that is out of reach ends after twice the time

    private long _switches;

    /// <summary>From the call to its end.</summary>
    internal LatencyHistogram Service { get; } = new();

    /// <summary>From the instant it was due to its end.</summary>
    internal LatencyHistogram Response { get; } = new();

    /// <summary>The calls longer than a millisecond in which the thread gave up the processor by itself.</summary>
    internal LatencyHistogram Blocked { get; } = new();

    /// <summary>
    /// The calls in which it did not: it was preempted, or it worked, spun or yielded. All of them where the system does not report
    /// switches.
    /// </summary>
    internal LatencyHistogram Preempted { get; } = new();

    /// <summary>The seconds from the first call to the end of the last.</summary>
    internal double Seconds { get; private set; }

    /// <summary>Makes the calls.</summary>
    /// <exception cref="LoadException">An answer was wrong.</exception>
    internal void Run(MeasuredCall call, int calls, int perSecond, CancellationToken stop)
    {
        double nsPerCall = NsPerSecond / perSecond;
        _switches = ThreadSwitches.Count();
        long start = NowNs();
        long last = start + (long)(MostLengths * nsPerCall * calls);
        long end = start;
        for (int i = 0; i < calls && end <= last; i++)
        {
            stop.ThrowIfCancellationRequested();
            int number = call.NumberOf(i);
            long due = start + (long)(nsPerCall * i);
            long begin = WaitUntil(due, end);
            bool isRight = call.Make(number);
            end = NowNs();
            Service.Add(end - begin);
            Response.Add(end - due);
            if (end - begin > SwitchNs)
                CheckSwitches(end - begin);
            if (!isRight)
                throw new LoadException(string.Create(CultureInfo.InvariantCulture, $"A {call.Name} of entry {number:N0} went wrong."));
        }
        Seconds = (end - start) / NsPerSecond;
    }

    // A switch between calls, such as for the collector, must not count as the next call's: so the count is read again after each gap.
    private long WaitUntil(long due, long latest)
    {
        while (true)
        {
            long now = NowNs();
            if (now - latest > SwitchNs)
            {
                _switches = ThreadSwitches.Count();
                now = NowNs();
            }
            if (now >= due)
                return now;
            latest = now;
        }
    }

    private void CheckSwitches(long ns)
    {
        long switches = ThreadSwitches.Count();
        if (ns > LongNs)
            (switches == _switches ? Preempted : Blocked).Add(ns);
        _switches = switches;
    }

    private static long NowNs() => ScaleClock.Nanoseconds(Stopwatch.GetTimestamp());
}
