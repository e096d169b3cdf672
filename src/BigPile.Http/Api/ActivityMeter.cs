using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Caching;
using BigPile.Http.Metrics;

namespace BigPile.Http.Api;

/// <summary>How busy the tables are, between two looks of whoever looks.</summary>
/// <remarks>
/// Nothing runs when nobody looks: a look takes the tables' counters, and compares them with the last ones that are at least a second
/// old. All who look within a second see the same. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ActivityMeter(EntryLatency latency, TimeProvider time)
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(0.9); // who looks once a second does not come to the instant

    private readonly Lock _lock = new();
    private Dictionary<string, TableStatistics>? _last;
    private ActivityReport? _report;
    private long _lastAt;

    /// <summary>Looks.</summary>
    /// <param name="tables">What the tables have counted up to now.</param>
    /// <returns><see langword="null"/> the first time.</returns>
    internal ActivityReport? Sample(IReadOnlyDictionary<string, TableStatistics> tables)
    {
        lock (_lock)
        {
            long now = time.GetTimestamp();
            TimeSpan passed = time.GetElapsedTime(_lastAt, now);
            if (_last != null && passed < Period)
                return _report;
            (LatencyReport? reads, LatencyReport? writes) = latency.Poll();
            if (_last is { } last)
                _report = new ActivityReport(Math.Round(passed.TotalSeconds, 3), RatesOf(last, tables, passed), reads, writes);
            _last = new Dictionary<string, TableStatistics>(tables, StringComparer.Ordinal);
            _lastAt = now;
            return _report;
        }
    }

    private static Dictionary<string, RateReport> RatesOf(
        Dictionary<string, TableStatistics> last, IReadOnlyDictionary<string, TableStatistics> now, TimeSpan passed) =>
        now.Where(table => last.ContainsKey(table.Key))
            .ToDictionary(static table => table.Key, table => RateReport.Of(last[table.Key], table.Value, passed), StringComparer.Ordinal);
}
