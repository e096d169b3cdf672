using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Perf.Restarts;

/// <summary>How a table came back. Of several openings each figure is the median of its own.</summary>
internal sealed record TableOpenFigures
{
    public required double OpenMs { get; init; } // milliseconds of the call that opens the pile
    public required double CacheMs { get; init; } // milliseconds of the call that makes the cache
    public required double TableMs { get; init; } // milliseconds of the call that gives the table

    /// <summary>Milliseconds of the first get of an entry that was there before; without the index, once the walk has ended.</summary>
    public required double FirstGetMs { get; init; }
    public required double SumMs { get; init; } // milliseconds of the four together

    /// <summary>The part of the sum that the calling thread was on a processor; none where the system does not tell.</summary>
    public double? SumCpuMs { get; init; }
    public required double FirstPutMs { get; init; } // milliseconds of the first put

    /// <summary>Seconds from the call that opens the pile until the index was compared with it; none unless the owner was killed.</summary>
    public double? InspectionSeconds { get; init; }
    public double? InspectedPerSecond { get; init; } // entries over that time

    /// <summary>Seconds from the call that opens the pile until the index was made anew; none where it came back.</summary>
    public double? WalkSeconds { get; init; }
    public double? WalkedPerSecond { get; init; } // entries over that time
    public required long EntryCount { get; init; } // entries that are there
    public required long ComparedCount { get; init; } // entries whose values were compared

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

/// <summary>How a table came back where code had to be compiled first, and where it was.</summary>
internal sealed record TableOpenPair(TableOpenFigures NewProcess, TableOpenFigures SameProcess);

/// <summary>What the process that filled a table tells of it.</summary>
internal sealed record TableFillFigures(long ReservedBytes, double FillSeconds, double CloseSeconds);

/// <summary>What a process had put when it was killed, at least.</summary>
/// <param name="FirstKey">The first key that was new.</param>
/// <param name="KeyCount">That many keys from there on have returned.</param>
internal sealed record ChurnFigures(long FirstKey, long KeyCount);

/// <summary>What the last owner left of a table.</summary>
internal enum TableState
{
    Closed, // it was closed
    Killed, // its owner was killed in the middle of changes
    WithoutIndex, // it was closed, and the files of its index are gone
}
