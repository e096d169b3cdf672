using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.FullPiles;

namespace BigPile.Perf.Reports;

/// <summary>What a load of a full pile with several tables measured. The names and their order are those of the JSON object.</summary>
internal sealed record SharesReport
{
    public required string Store { get; init; } // managed, native or mapped
    public required long PileBytes { get; init; } // the pile's limit
    public required double PayloadPercentOfLimit { get; init; } // the payloads of the full pile, before the durable table grew
    public required int DurableEntries { get; init; } // of the durable table that must stay
    public required int LostEntries { get; init; } // of these, gone or changed at the end
    public required int Objects { get; init; } // objects of the pile
    public required int LostObjects { get; init; }
    public required LatencyReport FullPutUs { get; init; } // puts into a durable table that others give way to
    public required LatencyReport FreePutUs { get; init; } // the same puts into free space
    public required double P99DifferenceUs { get; init; } // what giving way adds
    public required IReadOnlyList<ShareRow> Tables { get; init; } // those that give way

    internal static SharesReport Of(FullOptions options, CrowdedPile pile, long payloadBytes, GrowthTimes times)
    {
        LatencyReport full = LatencyReport.Of([times.Full]);
        LatencyReport free = LatencyReport.Of([times.Free]);
        return new SharesReport
        {
            Store = LoadOption.NameOf(options.Store),
            PileBytes = options.PileBytes,
            PayloadPercentOfLimit = Math.Round(100.0 * payloadBytes / options.PileBytes, 1),
            DurableEntries = pile.DurableEntries,
            LostEntries = pile.CountLostEntries(),
            Objects = pile.Objects,
            LostObjects = pile.CountLostObjects(),
            FullPutUs = full,
            FreePutUs = free,
            P99DifferenceUs = Math.Round(full.P99 - free.P99, 3),
            Tables = [.. pile.Tables.Select(table => ShareRow.Of(table, pile.Tables))],
        };
    }
}

/// <summary>How one table gave way.</summary>
internal sealed record ShareRow
{
    public required string Table { get; init; }
    public required double PutPercent { get; init; } // of the entries that were put into the three
    public required double FirstHeldPercent { get; init; } // of what the three held when the pile became full
    public required double HeldPercent { get; init; } // at the end
    public required long Evictions { get; init; }
    public required long Collisions { get; init; } // puts that the table itself refused
    public required double GaveWayPercentOfShare { get; init; } // what gave way, of what had in proportion to what it held

    internal static ShareRow Of(SharingTable table, SharingTable[] all) => new()
    {
        Table = table.Name,
        PutPercent = Percent(table.Rate, all.Sum(static one => one.Rate)),
        FirstHeldPercent = Percent(table.FirstHeldBytes, all.Sum(static one => one.FirstHeldBytes)),
        HeldPercent = Percent(table.HeldBytes, all.Sum(static one => one.HeldBytes)),
        Evictions = table.Statistics.Evictions,
        Collisions = table.Statistics.Collisions,
        GaveWayPercentOfShare = Percent(table.GoneBytes, table.ExpectedBytes),
    };

    private static double Percent(double part, double whole) => Math.Round(100 * part / Math.Max(1, whole), 1);
}
