using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using BigPile.Perf.Policies;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The trace report as a table for people.</summary>
internal static class TraceTable
{
    internal static void Write(IAnsiConsole console, TraceReport report)
    {
        bool hasSizes = report.Rows[0].CapacityBytes != null;
        PolicyKind[] policies = [.. PolicyKinds.All.Where(kind => report.Rows[0].Policies.ContainsKey(PolicyKinds.NameOf(kind)))];
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("Trace");
        table.Title = new TableTitle(TitleOf(report, hasSizes));
        foreach (string column in ColumnsOf(policies, hasSizes, report.Worst != null))
            table.AddColumn(new TableColumn(column).RightAligned().NoWrap());
        foreach (TraceRow row in report.Rows)
            table.AddRow([Markup.Escape(NameOf(row)), .. CellsOf(row, policies)]);
        table.Caption = new TableTitle(Markup.Escape(CaptionOf(report, policies)));
        console.Write(table);
    }

    private static string TitleOf(TraceReport report, bool hasSizes) =>
        $"trace: hits in percent{(hasSizes ? ", of requests and of bytes" : "")}, {Counted.Of(report.Threads, "thread")}";

    private static IEnumerable<string> ColumnsOf(PolicyKind[] policies, bool hasSizes, bool hasDifference)
    {
        yield return "Share";
        yield return hasSizes ? "Bytes" : "Capacity";
        foreach (string title in policies.Select(PolicyKinds.TitleOf).Prepend("Table"))
        {
            yield return title;
            if (hasSizes)
                yield return "bytes";
        }
        if (hasDifference)
            yield return "Difference";
        yield return "A second";
    }

    private static IEnumerable<string> CellsOf(TraceRow row, PolicyKind[] policies)
    {
        yield return row.CapacityFraction is { } fraction ? PercentOf(fraction) : "";
        yield return Invariant($"{row.Capacity ?? row.CapacityBytes:N0}");
        var own = new PolicyRatios(row.HitRatioPercent, row.ByteHitRatioPercent);
        foreach (PolicyRatios ratios in policies.Select(kind => row.Policies[PolicyKinds.NameOf(kind)]).Prepend(own))
        {
            yield return Invariant($"{ratios.HitRatioPercent:N2}");
            if (ratios.ByteHitRatioPercent is { } bytePercent)
                yield return Invariant($"{bytePercent:N2}");
        }
        if (row.DifferencePoints is { } points)
            yield return Points(points);
        yield return Invariant($"{row.OperationsPerSecond:N0}");
    }

    private static string CaptionOf(TraceReport report, PolicyKind[] policies)
    {
        if (report.Worst is not { } worst)
            return Machine.Describe();
        string rivals = string.Join(", ", PolicyKinds.Rivals.Where(policies.Contains).Select(PolicyKinds.TitleOf));
        string where = worst.CapacityFraction is { } fraction ? $" at {PercentOf(fraction)}" : "";
        return $"Difference to the best of {rivals}: {Points(report.MeanDifferencePoints!.Value)} points in the mean of "
            + $"{Counted.Of(report.Rows.Count, "row")}, {Points(worst.DifferencePoints!.Value)} at worst ({NameOf(worst)}{where})\n"
            + Machine.Describe();
    }

    private static string NameOf(TraceRow row) => Path.GetFileName(row.File);

    private static string PercentOf(double fraction) => Invariant($"{100 * fraction:0.####} %");

    private static string Points(double points) => points.ToString("+0.00;-0.00;0.00", CultureInfo.InvariantCulture);

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
