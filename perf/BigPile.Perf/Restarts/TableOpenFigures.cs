using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Restarts;

/// <summary>How a table came back. Of several openings each figure is the median of its own.</summary>
internal sealed record TableOpenFigures
{
    /// <summary>Milliseconds of the call that opens the pile.</summary>
    public required double OpenMs { get; init; }

    /// <summary>Milliseconds of the call that makes the cache.</summary>
    public required double CacheMs { get; init; }

    /// <summary>Milliseconds of the call that gives the table.</summary>
    public required double TableMs { get; init; }

    /// <summary>Milliseconds of the first get of an entry that was there before; without the index, once the walk has ended.</summary>
    public required double FirstGetMs { get; init; }

    /// <summary>Milliseconds of the four together.</summary>
    public required double SumMs { get; init; }

    /// <summary>The part of the sum that the calling thread was on a processor; none where the system does not tell.</summary>
    public double? SumCpuMs { get; init; }

    /// <summary>Milliseconds of the first put.</summary>
    public required double FirstPutMs { get; init; }

    /// <summary>Seconds from the call that opens the pile until the index was compared with it; none unless the owner was killed.</summary>
    public double? InspectionSeconds { get; init; }

    /// <summary>Entries over that time.</summary>
    public double? InspectedPerSecond { get; init; }

    /// <summary>Seconds from the call that opens the pile until the index was made anew; none where it came back.</summary>
    public double? WalkSeconds { get; init; }

    /// <summary>Entries over that time.</summary>
    public double? WalkedPerSecond { get; init; }

    /// <summary>Entries that are there.</summary>
    public required long EntryCount { get; init; }

    /// <summary>Entries whose values were compared.</summary>
    public required long ComparedCount { get; init; }

    internal static TableOpenFigures Median(IReadOnlyList<TableOpenFigures> all) => new()
    {
        OpenMs = Middle(all, static one => one.OpenMs)!.Value,
        CacheMs = Middle(all, static one => one.CacheMs)!.Value,
        TableMs = Middle(all, static one => one.TableMs)!.Value,
        FirstGetMs = Middle(all, static one => one.FirstGetMs)!.Value,
        SumMs = Middle(all, static one => one.SumMs)!.Value,
        SumCpuMs = Middle(all, static one => one.SumCpuMs),
        FirstPutMs = Middle(all, static one => one.FirstPutMs)!.Value,
        InspectionSeconds = Middle(all, static one => one.InspectionSeconds),
        InspectedPerSecond = Middle(all, static one => one.InspectedPerSecond),
        WalkSeconds = Middle(all, static one => one.WalkSeconds),
        WalkedPerSecond = Middle(all, static one => one.WalkedPerSecond),
        EntryCount = all[^1].EntryCount,
        ComparedCount = all[^1].ComparedCount,
    };

    private static double? Middle(IReadOnlyList<TableOpenFigures> all, Func<TableOpenFigures, double?> figure) =>
        all.Select(figure).Order().ElementAt(all.Count / 2);
}
