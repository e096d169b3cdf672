using System;
using System.Linq;
using BigPile.Caching;
using BigPile.Perf.FullPiles;

namespace BigPile.Perf.Reports;

/// <summary>What a load of a full pile measured of one kind. The names and their order are those of the JSON object.</summary>
internal sealed record FullRow
{
    public required string Kind { get; init; } // what held the entries
    public required string Store { get; init; } // managed, native or mapped
    public required long PileBytes { get; init; } // the pile's limit
    public required int Seconds { get; init; }
    public required int Seed { get; init; }
    public required int Keys { get; init; } // the different keys
    public required long Operations { get; init; } // gets, each with a put when it missed, and puts
    public required double OperationsPerSecond { get; init; }
    public required long Exceptions { get; init; } // in both loads, other than refusals
    public required string? FirstException { get; init; }
    public required long Refusals { get; init; } // puts that the full pile refused, where it may
    public required long Warnings { get; init; } // log entries of this level and above, in both loads
    public required string? FirstWarning { get; init; }
    public required long Entries { get; init; } // at the end
    public required long Evictions { get; init; }
    public required long TableBytes { get; init; } // blocks, index and evictor at the end
    public required double HitRatioPercent { get; init; } // of the gets in the second half

    /// <summary>The same of a table limited to <see cref="TableBytes"/>; <see langword="null"/> where puts may be refused.</summary>
    public double? LimitedHitRatioPercent { get; init; }
    public double? DifferencePoints { get; init; } // the points by which the full pile's is ahead
    public required long BaselineProcessBytes { get; init; } // the process's resident memory before the pile was there
    public required long ProcessBytes { get; init; } // and at the end
    public required long MostProcessBytes { get; init; } // the most at any of four samples a second
    public required double ProcessPercentOfLimit { get; init; } // the most that the process took beyond its baseline, of the limit
    public required LatencyReport PutUs { get; init; } // the puts of writers in the second half
    public double? LimitedOperationsPerSecond { get; init; }
    public LatencyReport? LimitedPutUs { get; init; }

    internal static FullRow Of(
        FullKind kind, FullOptions options, int keys, FullLoad load, double seconds, TableStatistics end, MemoryWatch memory) => new()
        {
            Kind = LoadOption.NameOf(kind),
            Store = LoadOption.NameOf(options.Store),
            PileBytes = options.PileBytes,
            Seconds = options.Seconds,
            Seed = options.Seed,
            Keys = keys,
            Operations = load.Operations,
            OperationsPerSecond = Figure.PerSecond(load.Operations, seconds),
            Exceptions = load.Exceptions,
            FirstException = load.FirstException,
            Refusals = load.Clients.Sum(static client => client.Refusals),
            Warnings = load.Warnings.Count,
            FirstWarning = load.Warnings.First,
            Entries = end.EntryCount,
            Evictions = end.Evictions,
            TableBytes = end.TotalBytes,
            HitRatioPercent = load.HitRatioPercent,
            BaselineProcessBytes = memory.BaselineBytes,
            ProcessBytes = memory.LastBytes,
            MostProcessBytes = memory.MostBytes,
            ProcessPercentOfLimit = Math.Round(100.0 * (memory.MostBytes - memory.BaselineBytes) / options.PileBytes, 1),
            PutUs = LatencyReport.Of(load.Clients.Select(static client => client.Puts)),
        };

    /// <summary>The same, compared with a load whose table had the limit.</summary>
    internal FullRow With(FullLoad limited, double seconds) => this with
    {
        Exceptions = Exceptions + limited.Exceptions,
        FirstException = FirstException ?? limited.FirstException,
        Warnings = Warnings + limited.Warnings.Count,
        FirstWarning = FirstWarning ?? limited.Warnings.First,
        LimitedHitRatioPercent = limited.HitRatioPercent,
        DifferencePoints = Math.Round(HitRatioPercent - limited.HitRatioPercent, 2),
        LimitedOperationsPerSecond = Figure.PerSecond(limited.Operations, seconds),
        LimitedPutUs = LatencyReport.Of(limited.Clients.Select(static client => client.Puts)),
    };
}
