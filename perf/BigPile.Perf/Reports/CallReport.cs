using System.Collections.Generic;
using BigPile.Perf.Latencies;

namespace BigPile.Perf.Reports;

/// <summary>What a load of single calls measured.</summary>
/// <param name="Options">What it was asked to do.</param>
/// <param name="Rows">The figures of each kind of call, behind those of none; the JSON array.</param>
internal sealed record CallReport(LatencyOptions Options, IReadOnlyList<CallRow> Rows);

/// <summary>What was measured of one kind of call. The names and their order are those of the JSON object.</summary>
internal sealed record CallRow
{
    private const double NsPerUs = 1000;

    /// <summary>nothing, get, put, replace or remove.</summary>
    public required string Call { get; init; }

    /// <summary>table or pile.</summary>
    public required string Holder { get; init; }

    /// <summary>plain, one-expiring, expiring, sliding or tagged.</summary>
    public required string Entries { get; init; }

    /// <summary>managed, native or mapped.</summary>
    public required string Store { get; init; }

    /// <summary>The entries that are there before.</summary>
    public required int Count { get; init; }

    public required int ValueBytes { get; init; }

    /// <summary>The requested calls a second.</summary>
    public required int Rate { get; init; }

    public required int Seconds { get; init; }

    /// <summary>The seconds between concurrent flushes; 0: none.</summary>
    public required double FlushEverySeconds { get; init; }

    /// <summary>The requested concurrent replacements a second; 0: none.</summary>
    public required int ReplaceRate { get; init; }

    /// <summary>The calls that were made.</summary>
    public required int Calls { get; init; }

    public required double CallsPerSecond { get; init; }

    /// <summary>From the call to its end, reading the clock included.</summary>
    public required LatencyReport ServiceUs { get; init; }

    /// <summary>From the instant at which the call was due to its end.</summary>
    public required LatencyReport ResponseUs { get; init; }

    /// <summary>
    /// Calls longer than a millisecond in which the thread gave up the processor by itself; <see langword="null"/>: the system does not
    /// tell.
    /// </summary>
    public required long? Blocked { get; init; }

    /// <summary>The longest of them; 0: none.</summary>
    public required double? BlockedMaxUs { get; init; }

    /// <summary>Calls longer than a millisecond in which it did not.</summary>
    public required long? Preempted { get; init; }

    /// <summary>The longest of them; 0: none.</summary>
    public required double? PreemptedMaxUs { get; init; }

    /// <summary>Collections meanwhile.</summary>
    public required int Collections { get; init; }

    /// <summary>Concurrent flushes.</summary>
    public required int Flushes { get; init; }

    /// <summary>Concurrent replacements.</summary>
    public required long Replacements { get; init; }

    internal static CallRow Of(string call, LatencyOptions options, CallMeter meter, Disturbance disturbance, int collections) => new()
    {
        Call = call,
        Holder = OptionParsers.NameOf(options.Holder),
        Entries = OptionParsers.NameOf(options.Entries),
        Store = OptionParsers.NameOf(options.Store),
        Count = options.Count,
        ValueBytes = options.ValueBytes,
        Rate = options.Rate,
        Seconds = options.Seconds,
        FlushEverySeconds = options.FlushEverySeconds,
        ReplaceRate = options.ReplaceRate,
        Calls = (int)meter.Service.Count,
        CallsPerSecond = Loads.Rate.PerSecond(meter.Service.Count, meter.Seconds),
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
