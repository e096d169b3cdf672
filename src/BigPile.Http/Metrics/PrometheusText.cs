using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace BigPile.Http.Metrics;

/// <summary>Writes metrics in Prometheus' text format 0.0.4, named as OpenTelemetry's exporters name them.</summary>
/// <remarks>
/// Dots become underscores; the unit and <c>_total</c> are appended. Instruments of equal name, as each cache of a process has, become one
/// metric; series with equal tags are summed.
/// </remarks>
internal static class PrometheusText
{
    internal const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    internal static string Write(IEnumerable<Metric> metrics)
    {
        var text = new StringBuilder();
        foreach (IGrouping<string, Metric> group in metrics.GroupBy(
            PrometheusName.Of, StringComparer.Ordinal).OrderBy(static group => group.Key, StringComparer.Ordinal))
            WriteMetric(text, group.Key, [.. group.Where(metric => metric.Kind == group.First().Kind)]);
        return text.ToString();
    }

    private static void WriteMetric(StringBuilder text, string name, Metric[] metrics)
    {
        if (metrics.All(static metric => metric.Series.Count == 0))
            return;
        Metric first = metrics[0];
        text.Append("# HELP ").Append(name).Append(' ').Append(EscapeHelp(first.Instrument.Description ?? "")).Append('\n');
        text.Append("# TYPE ").Append(name).Append(' ').Append(TypeOf(first.Kind)).Append('\n');
        IEnumerable<IGrouping<string, MetricSeries>> sets = metrics
            .SelectMany(static metric => metric.Series)
            .GroupBy(static series => LabelsOf(series.Tags), StringComparer.Ordinal);
        foreach (IGrouping<string, MetricSeries> set in sets.OrderBy(static set => set.Key, StringComparer.Ordinal))
        {
            if (first.Kind == MetricKind.Histogram)
                WriteHistogram(text, name, set.Key, first.BucketBoundaries, [.. set]);
            else
                WriteLine(text, name, set.Key, set.Sum(static series => series.Value));
        }
    }

    private static void WriteHistogram(StringBuilder text, string name, string labels, double[] boundaries, MetricSeries[] series)
    {
        string comma = labels.Length == 0 ? "" : ",";
        double count = 0;
        for (int i = 0; i <= boundaries.Length; i++)
        {
            count += series.Sum(one => one.BucketAt(i));
            string bound = i < boundaries.Length ? Format(boundaries[i]) : "+Inf";
            WriteLine(text, name + "_bucket", $"{labels}{comma}le=\"{bound}\"", count);
        }
        WriteLine(text, name + "_sum", labels, series.Sum(static one => one.Value));
        WriteLine(text, name + "_count", labels, count);
    }

    private static void WriteLine(StringBuilder text, string name, string labels, double value)
    {
        text.Append(name);
        if (labels.Length != 0)
            text.Append('{').Append(labels).Append('}');
        text.Append(' ').Append(Format(value)).Append('\n');
    }

    private static string LabelsOf(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var labels = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach ((string key, object? value) in tags)
            labels[PrometheusName.Clean(key)] = EscapeLabel(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "");
        return string.Join(',', labels.Select(static label => $"{label.Key}=\"{label.Value}\""));
    }

    private static string TypeOf(MetricKind kind) => kind switch
    {
        MetricKind.Counter => "counter",
        MetricKind.Histogram => "histogram",
        _ => "gauge",
    };

    private static string EscapeHelp(string text) =>
        text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal);

    private static string EscapeLabel(string text) => EscapeHelp(text).Replace("\"", "\\\"", StringComparison.Ordinal);

    private static string Format(double value) =>
        double.IsPositiveInfinity(value)
            ? "+Inf"
            : double.IsNegativeInfinity(value)
            ? "-Inf"
            : value.ToString("R", CultureInfo.InvariantCulture);
}
