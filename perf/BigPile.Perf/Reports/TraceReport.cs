using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json.Serialization;

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
