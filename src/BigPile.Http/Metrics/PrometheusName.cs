using System;
using System.Diagnostics.Metrics;
using System.Linq;

namespace BigPile.Http.Metrics;

/// <summary>The names of metrics in Prometheus' text format.</summary>
internal static class PrometheusName
{
    /// <summary>The name of an instrument, sanitized, with the unit and <c>_total</c> as suffixes where they apply.</summary>
    internal static string Of(Metric metric)
    {
        Instrument instrument = metric.Instrument;
        string name = Append(Clean(instrument.Name), UnitOf(instrument.Unit, metric.Kind));
        return metric.Kind == MetricKind.Counter ? Append(name, "total") : name;
    }

    /// <summary>Replaces characters that a name may not have.</summary>
    internal static string Clean(string name)
    {
        string clean = string.Concat(name.Select(static character => char.IsAsciiLetterOrDigit(character) ? character : '_'));
        return clean.Length == 0 || char.IsAsciiDigit(clean[0]) ? "_" + clean : clean;
    }

    private static string Append(string name, string suffix) =>
        suffix.Length == 0 || name.EndsWith("_" + suffix, StringComparison.Ordinal) ? name : $"{name}_{suffix}";

    // Units in braces, such as {request}, are annotations.
    private static string UnitOf(string? unit, MetricKind kind) => unit switch
    {
        null or "" => "",
        "s" => "seconds",
        "ms" => "milliseconds",
        "By" => "bytes",
        "%" => "percent",
        "1" => kind == MetricKind.Counter ? "" : "ratio",
        _ => unit.StartsWith('{') ? "" : Clean(unit),
    };
}
