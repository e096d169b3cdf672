using System;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
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

    internal LatencyHistogram Service { get; } = new(); // from the call to its end
    internal LatencyHistogram Response { get; } = new(); // from the instant it was due to its end

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

/// <summary>A call that is measured repeatedly.</summary>
/// <param name="Name">As the report has it.</param>
/// <param name="NumberOf">The number of the entry for a call, by the number of the call; not in the call's time.</param>
/// <param name="Make">Calls, and tells whether the answer was right.</param>
internal sealed record MeasuredCall(string Name, Func<int, int> NumberOf, Func<int, bool> Make);

/// <summary>
/// Counts how often the calling thread gave up the processor by itself in order to wait (voluntary context switches). Preemptions are not
/// included.
/// </summary>
/// <remarks>Linux counts a yield as a preemption.</remarks>
internal static unsafe partial class ThreadSwitches
{
    private const int OfThread = 1;
    private const int Words = 18; // two times of two words each, and fourteen counts
    private const int VoluntaryWord = 16;

    /// <summary>Whether the system reports it.</summary>
    internal static bool AreKnown => OperatingSystem.IsLinux();

    /// <summary>The number so far; 0 where the system does not report it.</summary>
    internal static long Count() => OperatingSystem.IsLinux() ? Read() : 0;

    [SupportedOSPlatform("linux")]
    private static long Read()
    {
        nint* usage = stackalloc nint[Words];
        return GetUsage(OfThread, usage) == 0 ? usage[VoluntaryWord] : 0;
    }

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static partial int GetUsage(int who, nint* usage);
}
