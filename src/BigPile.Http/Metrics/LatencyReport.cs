namespace BigPile.Http.Metrics;

/// <summary>The service's own part of request latency, in microseconds: from the parsed head to the answer in the output buffer.</summary>
/// <param name="Count">Requests that were timed.</param>
/// <param name="P50Us">The median.</param>
/// <param name="P90Us">The 90th percentile.</param>
/// <param name="P99Us">The 99th percentile.</param>
/// <param name="MaxUs">The maximum.</param>
internal sealed record LatencyReport(long Count, double P50Us, double P90Us, double P99Us, double MaxUs);
