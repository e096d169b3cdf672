namespace BigPile.Http.Metrics;

/// <summary>
/// How long the service took for its part of requests, in microseconds: from the parsed head to the answer in the output buffer.
/// </summary>
/// <param name="Count">Requests that were timed.</param>
/// <param name="P50Us">Half of them took at most this.</param>
/// <param name="P90Us">Nine of ten took at most this.</param>
/// <param name="P99Us">Ninety-nine of a hundred took at most this.</param>
/// <param name="MaxUs">The longest.</param>
internal sealed record LatencyReport(long Count, double P50Us, double P90Us, double P99Us, double MaxUs);
