using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json.Serialization;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Reports;

/// <summary>What a trace load measured. The names and their order are those of the JSON object.</summary>
/// <param name="Rows">Each trace at each capacity.</param>
/// <param name="Threads">The threads that shared the accesses to the table.</param>
internal sealed record TraceReport(IReadOnlyList<TraceRow> Rows, int Threads)
{
    /// <summary>The mean of the rows' differences; <see langword="null"/> when there is none.</summary>
    public double? MeanDifferencePoints =>
        Worst == null ? null : Math.Round(Rows.Average(static row => row.DifferencePoints!.Value), 3);

    /// <summary>The smallest of the rows' differences.</summary>
    public double? WorstDifferencePoints => Worst?.DifferencePoints;

    /// <summary>The row that has it.</summary>
    [JsonIgnore]
    public TraceRow? Worst =>
        Rows.Any(static row => row.DifferencePoints == null) ? null : Rows.MinBy(static row => row.DifferencePoints);
}

/// <summary>What was measured of a trace at one capacity. The names and their order are those of the JSON object.</summary>
internal sealed record TraceRow
{
    public required string File { get; init; } // the file, or the name of a synthetic trace
    public required long Accesses { get; init; } // the recorded accesses
    public required long DistinctKeys { get; init; } // the different keys among them
    public required double? CapacityFraction { get; init; } // the share that was asked for; null when it was a number of entries
    public required long? Capacity { get; init; } // the table's limit in entries; null when it is one in bytes
    public required long? CapacityBytes { get; init; } // the table's limit in bytes; null when it is one in entries
    public required double HitRatioPercent { get; init; } // the share of accesses that found their key in the table
    public required double? ByteHitRatioPercent { get; init; } // the same of the bytes asked for; null without sizes
    public required double OperationsPerSecond { get; init; } // accesses a second to the table, each with a put when it missed

    /// <summary>The same ratios of each policy that was simulated, by its name.</summary>
    public required IReadOnlyDictionary<string, PolicyRatios> Policies { get; init; }
    public required double? DifferencePoints { get; init; } // the points by which the table is ahead of the best of Rivals that there are

    internal static TraceRow Of(string file, Trace trace, double? fraction, bool hasSizes, PolicyFigures figures) => new()
    {
        File = file,
        Accesses = trace.Accesses.Length,
        DistinctKeys = trace.DistinctKeys,
        CapacityFraction = fraction,
        Capacity = hasSizes ? null : figures.Capacity,
        CapacityBytes = hasSizes ? figures.Capacity : null,
        HitRatioPercent = figures.Table.Hits.HitPercent,
        ByteHitRatioPercent = hasSizes ? figures.Table.Hits.ByteHitPercent : null,
        OperationsPerSecond = Figure.Rounded(figures.Table.PerSecond, 0),
        Policies = figures.Policies.ToDictionary(
            static pair => PolicyKinds.NameOf(pair.Key),
            pair => new PolicyRatios(pair.Value.HitPercent, hasSizes ? pair.Value.ByteHitPercent : null)),
        DifferencePoints = figures.DifferencePoints,
    };
}

/// <summary>The hits of a simulated policy.</summary>
/// <param name="HitRatioPercent">The share of accesses that found their key.</param>
/// <param name="ByteHitRatioPercent">The same of the bytes asked for; <see langword="null"/> without sizes.</param>
internal sealed record PolicyRatios(double HitRatioPercent, double? ByteHitRatioPercent);
