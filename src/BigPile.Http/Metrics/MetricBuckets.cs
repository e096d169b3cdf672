using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using BigPile.Telemetry;

namespace BigPile.Http.Metrics;

/// <summary>The bucket limits of a histogram: the instrument's own advice, or a default for its unit.</summary>
internal static class MetricBuckets
{
    private static readonly double[] Seconds = [.. HistogramBuckets.Seconds.HistogramBucketBoundaries!];

    private static readonly double[] Bytes = [.. HistogramBuckets.Bytes.HistogramBucketBoundaries!.Select(static bound => (double)bound)];

    private static readonly double[] Others = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

    internal static double[] Of(Instrument instrument) =>
        AdvisedBy(instrument)?.ToArray() ?? (instrument.Unit switch { "s" => Seconds, "By" => Bytes, _ => Others });

    private static IEnumerable<double>? AdvisedBy(Instrument instrument) => instrument switch
    {
        Histogram<double> histogram => histogram.Advice?.HistogramBucketBoundaries,
        Histogram<long> histogram => histogram.Advice?.HistogramBucketBoundaries?.Select(static bound => (double)bound),
        Histogram<int> histogram => histogram.Advice?.HistogramBucketBoundaries?.Select(static bound => (double)bound),
        _ => null,
    };
}
