using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Caching;
using BigPile.Http.Metrics;

namespace BigPile.Http.Api;

/// <summary>Measures the rates of the tables between two samples.</summary>
/// <remarks>
/// Nothing runs without a client that polls: a sample compares the tables' counters with the last ones that are at least a second old. All
/// clients that poll within a second get the same report. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ActivityMeter(EntryLatency latency, TimeProvider time)
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(0.9); // a client that polls once a second is not exactly on time

    private readonly Lock _lock = new();
    private Dictionary<string, TableStatistics>? _last;
    /// <summary>The report of the last period; guarded by the lock, as all mutable fields.</summary>
    private ActivityReport? _report;
    private long _lastAt;

    /// <summary>Takes a sample.</summary>
    /// <param name="tables">The current counters of the tables.</param>
    /// <returns><see langword="null"/> for the first sample.</returns>
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
