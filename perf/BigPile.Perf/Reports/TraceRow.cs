using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Reports;

/// <summary>What was measured of a trace at one capacity. The names and their order are those of the JSON object.</summary>
internal sealed record TraceRow
{
    /// <summary>The file, or the name of a synthetic trace.</summary>
    public required string File { get; init; }

    /// <summary>The recorded accesses.</summary>
    public required long Accesses { get; init; }

    /// <summary>The different keys among them.</summary>
    public required long DistinctKeys { get; init; }

    /// <summary>The share that was asked for; <see langword="null"/> when it was a number of entries.</summary>
    public required double? CapacityFraction { get; init; }

    /// <summary>The table's limit in entries; <see langword="null"/> when it is one in bytes.</summary>
    public required long? Capacity { get; init; }

    /// <summary>The table's limit in bytes; <see langword="null"/> when it is one in entries.</summary>
    public required long? CapacityBytes { get; init; }

    /// <summary>The share of accesses that found their key in the table.</summary>
    public required double HitRatioPercent { get; init; }

    /// <summary>The same of the bytes asked for; <see langword="null"/> without sizes.</summary>
    public required double? ByteHitRatioPercent { get; init; }

    /// <summary>Accesses a second to the table, each with a put when it missed.</summary>
    public required double OperationsPerSecond { get; init; }

    /// <summary>The same ratios of each policy that was simulated, by its name.</summary>
    public required IReadOnlyDictionary<string, PolicyRatios> Policies { get; init; }

    /// <summary>The points by which the table is ahead of the best of <see cref="PolicyKinds.Rivals"/> that there are.</summary>
    public required double? DifferencePoints { get; init; }

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
        OperationsPerSecond = Math.Round(figures.Table.PerSecond),
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
