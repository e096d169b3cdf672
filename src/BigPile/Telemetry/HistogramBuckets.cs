using System.Diagnostics.Metrics;

namespace BigPile.Telemetry;

/// <summary>The advised bucket boundaries of histograms.</summary>
internal static class HistogramBuckets
{
    /// <summary>For durations: a read from memory takes microseconds, and a load from elsewhere seconds.</summary>
    internal static InstrumentAdvice<double> Seconds { get; } = new()
    {
        HistogramBucketBoundaries = [0.000_01, 0.000_1, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    };

    /// <summary>For sizes.</summary>
    internal static InstrumentAdvice<long> Bytes { get; } = new()
    {
        HistogramBucketBoundaries =
        [
            64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864, 268_435_456, 1_073_741_824,
        ],
    };
}
