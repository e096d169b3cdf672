using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using BigPile.Perf.Charts;
using BigPile.Perf.Latencies;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The report of single calls as a table for people: a column for each kind, since its figures are many.</summary>
internal static class CallTable
{
    private const int Width = 100; // so that each heading fits on a line

    internal static void Write(IAnsiConsole console, CallReport report)
    {
        console.Profile.Width = Math.Max(console.Profile.Width, Width);
        LatencyOptions options = report.Options;
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("What");
        foreach (CallRow row in report.Rows)
        {
            bool isAlone = options.IsDisturbed && row.FlushEverySeconds == 0 && row.ReplaceRate == 0;
            table.AddColumn(new TableColumn(isAlone ? "nothing, alone" : row.Call).RightAligned());
        }
        table.Title = new TableTitle(Markup.Escape(TitleOf(options)));
        table.Caption = new TableTitle(Markup.Escape(CaptionOf(options)));
        Add("Calls a second", static row => Number(row.CallsPerSecond));
        AddTime("p50", static row => row.ServiceUs.P50);
        AddTime("p99", static row => row.ServiceUs.P99);
        AddTime("p99.9", static row => row.ServiceUs.P999);
        AddTime("p99.99", static row => row.ServiceUs.P9999);
        AddTime("p99.999", static row => row.ServiceUs.P99999);
        AddTime("Longest", static row => row.ServiceUs.Max);
        table.AddEmptyRow();
        Add("Blocked over 1 ms", static row => row.Blocked is { } calls ? Number(calls) : "unknown");
        AddTime("  longest", static row => row.BlockedMaxUs);
        Add("Preempted over 1 ms", static row => row.Preempted is { } calls ? Number(calls) : "unknown");
        AddTime("  longest", static row => row.PreemptedMaxUs);
        table.AddEmptyRow();
        AddTime("From when it was due, p99", static row => row.ResponseUs.P99);
        AddTime("  longest", static row => row.ResponseUs.Max);
        table.AddEmptyRow();
        Add("Collections", static row => Number(row.Collections));
        if (options.FlushEverySeconds > 0)
            Add("Flushes beside", static row => Number(row.Flushes));
        if (options.ReplaceRate > 0)
            Add("Replacements beside", static row => Number(row.Replacements));
        console.Write(table);

        void AddTime(string what, Func<CallRow, double?> us) =>
            Add(what, row => us(row) is { } time && time != 0 ? FigureText.Short(time, "us") : "");

        void Add(string what, Func<CallRow, string> cell) => table.AddRow([what, .. report.Rows.Select(cell)]);
    }

    private static string TitleOf(LatencyOptions options)
    {
        bool isTable = options.Holder == LatencyHolder.Table;
        string bytes = $" of {Counted.Of(options.ValueBytes, "byte")}";
        return Invariant($"latency of a {OptionParsers.NameOf(options.Holder)}: {options.Rate:N0} calls a second, ")
            + $"{OptionParsers.NameOf(options.Store)} store, "
            + (isTable
                ? $"{Counted.Of(options.Count, "entry", "entries")}{bytes}, {OptionParsers.NameOf(options.Entries)}"
                : $"{Counted.Of(options.Count, "object")}{bytes}");
    }

    private static string CaptionOf(LatencyOptions options)
    {
        List<string> beside = [];
        if (options.FlushEverySeconds > 0)
            beside.Add(Invariant($"a flush each {options.FlushEverySeconds} s"));
        if (options.ReplaceRate > 0)
            beside.Add(Invariant($"{options.ReplaceRate:N0} replacements a second"));
        string with = options.IsDisturbed ? $", with {string.Join(" and ", beside)} beside all but the first" : "";
        string blocked = ThreadSwitches.AreKnown
            ? "Blocked: the thread gave the processor up. Preempted: it was taken, or the call spun or yielded."
            : "This system does not say whether a thread gave the processor up: blocked calls are unknown.";
        return $"Each for {Counted.Of(options.Seconds, "second")}{with}.\n{blocked}\n{Machine.Describe()}";
    }

    private static string Number(double number) => Invariant($"{number:N0}");

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
