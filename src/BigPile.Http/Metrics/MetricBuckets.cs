using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;

namespace BigPile.Http.Metrics;

/// <summary>The bucket limits of a histogram: the instrument's own advice, or a default for its unit.</summary>
internal static class MetricBuckets
{
    /// <summary>For durations: a read from memory takes microseconds, and a load from elsewhere seconds.</summary>
    internal static readonly double[] Seconds = [0.000_01, 0.000_1, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

    private static readonly double[] Bytes =
    [
        64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864, 268_435_456, 1_073_741_824,
    ];

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
