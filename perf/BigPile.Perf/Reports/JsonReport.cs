using System.Collections.Generic;
using System.Text.Json;
using System.Text.Json.Serialization;
using BigPile.Perf.Restarts;
using BigPile.Perf.Runs.Comparison;

namespace BigPile.Perf.Reports;

/// <summary>The report as one JSON object, or an array of rows, on one line.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(InsertReport))]
[JsonSerializable(typeof(PauseReport))]
[JsonSerializable(typeof(ScaleReport))]
[JsonSerializable(typeof(HttpReport))]
[JsonSerializable(typeof(GraphReport))]
[JsonSerializable(typeof(CacheReport))]
[JsonSerializable(typeof(TraceReport))]
[JsonSerializable(typeof(CompareReport))]
[JsonSerializable(typeof(LimitReport))]
[JsonSerializable(typeof(RestartReport))]
[JsonSerializable(typeof(TrafficReport))]
[JsonSerializable(typeof(SoakReport))]
[JsonSerializable(typeof(CopyReport))]
[JsonSerializable(typeof(IReadOnlyList<PortsRow>))]
[JsonSerializable(typeof(IReadOnlyList<CallRow>))]
[JsonSerializable(typeof(IReadOnlyList<SequenceRow>))]
[JsonSerializable(typeof(FillFigures))]
[JsonSerializable(typeof(TableRestartReport))]
[JsonSerializable(typeof(TableFillFigures))]
[JsonSerializable(typeof(TableOpenFigures))]
[JsonSerializable(typeof(ChurnFigures))]
[JsonSerializable(typeof(RunComparison))]
internal sealed partial class JsonReport : JsonSerializerContext
{
    internal static string Write(InsertReport report) => JsonSerializer.Serialize(report, Default.InsertReport);

    internal static string Write(HttpReport report) => JsonSerializer.Serialize(report, Default.HttpReport);

    internal static string Write(ScaleReport report) => JsonSerializer.Serialize(report, Default.ScaleReport);

    internal static string Write(PauseReport report) => JsonSerializer.Serialize(report, Default.PauseReport);

    internal static string Write(RestartReport report) => JsonSerializer.Serialize(report, Default.RestartReport);

    internal static string Write(TableRestartReport report) => JsonSerializer.Serialize(report, Default.TableRestartReport);

    internal static string Write(TrafficReport report) => JsonSerializer.Serialize(report, Default.TrafficReport);

    internal static string Write(SoakReport report) => JsonSerializer.Serialize(report, Default.SoakReport);

    internal static string Write(SequenceReport report) => JsonSerializer.Serialize(report.Rows, Default.IReadOnlyListSequenceRow);

    internal static string Write(CopyReport report) => JsonSerializer.Serialize(report, Default.CopyReport);

    internal static string Write(PortsReport report) => JsonSerializer.Serialize(report.Rows, Default.IReadOnlyListPortsRow);

    internal static string Write(CallReport report) => JsonSerializer.Serialize(report.Rows, Default.IReadOnlyListCallRow);

    internal static string Write(GraphReport report) => JsonSerializer.Serialize(report, Default.GraphReport);

    internal static string Write(CacheReport report) => JsonSerializer.Serialize(report, Default.CacheReport);

    internal static string Write(TraceReport report) => JsonSerializer.Serialize(report, Default.TraceReport);

    internal static string Write(CompareReport report) => JsonSerializer.Serialize(report, Default.CompareReport);

    internal static string Write(RunComparison report) => JsonSerializer.Serialize(report, Default.RunComparison);

    internal static string Write(LimitReport report) => JsonSerializer.Serialize(report, Default.LimitReport);
}
