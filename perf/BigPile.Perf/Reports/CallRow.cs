using BigPile.Perf.Latencies;

namespace BigPile.Perf.Reports;

/// <summary>What was measured of one kind of call. The names and their order are those of the JSON object.</summary>
internal sealed record CallRow
{
    private const double NsPerUs = 1000;

    public required string Call { get; init; } // nothing, get, put, replace or remove
    public required string Holder { get; init; } // table or pile
    public required string Entries { get; init; } // plain, one-expiring, expiring, sliding or tagged
    public required string Store { get; init; } // managed, native or mapped
    public required int Count { get; init; } // the entries that are there before
    public required int ValueBytes { get; init; }
    public required int Rate { get; init; } // the requested calls a second
    public required int Seconds { get; init; }
    public required double FlushEverySeconds { get; init; } // the seconds between concurrent flushes; 0: none
    public required int ReplaceRate { get; init; } // the requested concurrent replacements a second; 0: none
    public required int Calls { get; init; } // the calls that were made
    public required double CallsPerSecond { get; init; }
    public required LatencyReport ServiceUs { get; init; } // from the call to its end, reading the clock included
    public required LatencyReport ResponseUs { get; init; } // from the instant at which the call was due to its end

    /// <summary>
    /// Calls longer than a millisecond in which the thread gave up the processor by itself; <see langword="null"/>: the system does not
    /// tell.
    /// </summary>
    public required long? Blocked { get; init; }
    public required double? BlockedMaxUs { get; init; } // the longest of them; 0: none
    public required long? Preempted { get; init; } // calls longer than a millisecond in which it did not
    public required double? PreemptedMaxUs { get; init; } // the longest of them; 0: none
    public required int Collections { get; init; } // collections meanwhile
    public required int Flushes { get; init; } // concurrent flushes
    public required long Replacements { get; init; } // concurrent replacements

    internal static CallRow Of(string call, LatencyOptions options, CallMeter meter, Disturbance disturbance, int collections) => new()
    {
        Call = call,
        Holder = LoadOption.NameOf(options.Holder),
        Entries = LoadOption.NameOf(options.Entries),
        Store = LoadOption.NameOf(options.Store),
        Count = options.Count,
        ValueBytes = options.ValueBytes,
        Rate = options.Rate,
        Seconds = options.Seconds,
        FlushEverySeconds = options.FlushEverySeconds,
        ReplaceRate = options.ReplaceRate,
        Calls = (int)meter.Service.Count,
        CallsPerSecond = Figure.PerSecond(meter.Service.Count, meter.Seconds),
        ServiceUs = LatencyReport.Of([meter.Service]),
        ResponseUs = LatencyReport.Of([meter.Response]),
        Blocked = ThreadSwitches.AreKnown ? meter.Blocked.Count : null,
        BlockedMaxUs = ThreadSwitches.AreKnown ? meter.Blocked.MaxNs / NsPerUs : null,
        Preempted = ThreadSwitches.AreKnown ? meter.Preempted.Count : null,
        PreemptedMaxUs = ThreadSwitches.AreKnown ? meter.Preempted.MaxNs / NsPerUs : null,
        Collections = collections,
        Flushes = disturbance.Flushes,
        Replacements = disturbance.Replacements,
    };
}
