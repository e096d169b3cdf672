using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Telemetry;
using static BigPile.Caching.CacheTelemetry;
using static BigPile.PileTelemetry;

namespace BigPile.Caching.Metrics;

/// <summary>The instruments of caches, by table, on the meter of their piles.</summary>
/// <remarks>
/// Observable instruments read the tables' own counters when a listener collects. A duration is measured only if its histogram is enabled:
/// without a listener an operation costs one comparison. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class CacheMeter
{
    private static readonly ConditionalWeakTable<Meter, CacheMeter> All = new(); // one for each meter

    private readonly Lock _registering = new();
    private readonly List<Func<MeteredTable[]>> _caches = []; // give the tables of each cache; guarded by _registering
    private readonly Histogram<double> _factoryDuration;
    private readonly Histogram<double> _sweepDuration;
    private readonly Histogram<long> _payloadSize;

    private CacheMeter(Meter meter)
    {
        _factoryDuration = meter.CreateHistogram(
            FactoryDuration, "s", "How long it took to make values that were missing.", advice: HistogramBuckets.Seconds);
        _sweepDuration = meter.CreateHistogram(
            SweepDuration, "s", "How long one sweep of a table for what has expired took.", advice: HistogramBuckets.Seconds);
        _payloadSize = meter.CreateHistogram(
            PayloadSize, "By", "Bytes of values that were put, as they are stored.", advice: HistogramBuckets.Bytes);
        meter.CreateObservableCounter(
            Requests, () => Observe(RequestTypeTag, ("hit", Counter.Hits), ("miss", Counter.Misses)), "{request}", "Reads by key.");
        meter.CreateObservableCounter(Writes, ObserveWrites, "{write}", "Puts, by what became of them.");
        meter.CreateObservableCounter(
            Removals,
            () => Observe(ReasonTag, ("removed", Counter.Removals), ("expired", Counter.Expirations), ("capacity", Counter.Evictions)),
            "{entry}", "Entries that went, by reason.");
        meter.CreateObservableUpDownCounter(
            EntryCount, () => Observe(static table => table.Statistics.EntryCount), "{entry}", "Entries.");
        meter.CreateObservableUpDownCounter(
            CacheTelemetry.Capacity, () => Observe(static table => table.Options.MaxEntries ?? 0), "{entry}",
            "The most entries; 0: no limit.");
        meter.CreateObservableUpDownCounter(CacheTelemetry.UsedMemory, ObserveMemory, "By", "Memory of tables, by kind.");
        meter.CreateObservableUpDownCounter(
            CacheTelemetry.MemoryLimit, () => Observe(static table => table.Options.MaxBytes ?? 0), "By", "The most memory; 0: no limit.");
        meter.CreateObservableUpDownCounter(
            FeedReaders, () => ObserveFeeds(static feed => (long?)feed.FeedReaders), "{reader}", "Readers of the changes of tables.");
        meter.CreateObservableGauge(
            FeedLag, () => ObserveFeeds(static feed => (double?)feed.FeedLag.TotalSeconds), "s",
            "How far the slowest reader of the changes is behind.");
        meter.CreateObservableGauge(
            CacheTelemetry.FeedWindow, () => ObserveFeeds(static feed => feed.FeedWindow?.TotalSeconds), "s",
            "How long the window of changes holds one, at the present rate. Who is away for longer has to walk.");
    }

    /// <summary>Whether a listener collects the duration of sweeps.</summary>
    internal bool IsTimingSweeps => _sweepDuration.Enabled;

    /// <summary>Whether a listener collects the duration of factories.</summary>
    internal bool IsTimingFactories => _factoryDuration.Enabled;

    /// <summary>The instruments on a meter of piles; the same ones for each call.</summary>
    internal static CacheMeter Of(PileMeter piles) => All.GetValue(piles.Meter, static meter => new CacheMeter(meter));

    /// <summary>Adds the tables of a cache to the observable instruments.</summary>
    /// <param name="tables">Gives its tables with their present counters.</param>
    internal void Add(Func<MeteredTable[]> tables)
    {
        lock (_registering)
            _caches.Add(tables);
    }

    internal void Remove(Func<MeteredTable[]> tables)
    {
        lock (_registering)
            _caches.Remove(tables);
    }

    internal void RecordFactory(string table, TimeSpan duration, Exception? failure)
    {
        var name = new KeyValuePair<string, object?>(TableNameTag, table);
        if (failure == null)
            _factoryDuration.Record(duration.TotalSeconds, name);
        else
            _factoryDuration.Record(
                duration.TotalSeconds, name, new KeyValuePair<string, object?>(ErrorTag, failure.GetType().FullName));
    }

    internal void RecordSweep(string table, TimeSpan duration) =>
        _sweepDuration.Record(duration.TotalSeconds, new KeyValuePair<string, object?>(TableNameTag, table));

    internal void RecordPayload(string table, int lengthBytes)
    {
        if (_payloadSize.Enabled)
            _payloadSize.Record(lengthBytes, new KeyValuePair<string, object?>(TableNameTag, table));
    }

    private List<Measurement<long>> Observe(Func<MeteredTable, long> figure)
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in Tables())
            all.Add(new Measurement<long>(figure(table), new KeyValuePair<string, object?>(TableNameTag, table.Name)));
        return all;
    }

    private List<Measurement<long>> Observe(string tag, params ReadOnlySpan<(string Value, Counter Counter)> figures)
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in Tables())
        {
            foreach ((string value, Counter counter) in figures)
                all.Add(Measure(table, table.Figures[(int)counter], tag, value));
        }
        return all;
    }

    // An insert that removed another entry counts as insert and overwrite; it is reported as overwritten only.
    private List<Measurement<long>> ObserveWrites()
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in Tables())
        {
            long overwrites = table.Figures[(int)Counter.Overwrites];
            all.Add(Measure(table, table.Figures[(int)Counter.Inserts] - overwrites, WriteResultTag, "inserted"));
            all.Add(Measure(table, table.Figures[(int)Counter.Replacements], WriteResultTag, "replaced"));
            all.Add(Measure(table, overwrites, WriteResultTag, "overwritten"));
            all.Add(Measure(table, table.Figures[(int)Counter.Collisions], WriteResultTag, "collision"));
        }
        return all;
    }

    private List<Measurement<long>> ObserveMemory()
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in Tables())
        {
            TableStatistics statistics = table.Statistics;
            all.Add(Measure(table, statistics.BlockBytes, MemoryKindTag, "payload"));
            all.Add(Measure(table, statistics.IndexBytes, MemoryKindTag, "index"));
            all.Add(Measure(table, statistics.EvictionBytes, MemoryKindTag, "eviction"));
            if (statistics.FeedBytes != 0)
                all.Add(Measure(table, statistics.FeedBytes, MemoryKindTag, "feed"));
        }
        return all;
    }

    // Of tables with a feed.
    private List<Measurement<T>> ObserveFeeds<T>(Func<TableStatistics, T?> figure)
        where T : struct
    {
        var all = new List<Measurement<T>>();
        foreach (MeteredTable table in Tables())
        {
            if (table.Statistics is { FeedBytes: not 0 } statistics && figure(statistics) is { } value)
                all.Add(new Measurement<T>(value, new KeyValuePair<string, object?>(TableNameTag, table.Name)));
        }
        return all;
    }

    private MeteredTable[] Tables()
    {
        Func<MeteredTable[]>[] caches;
        lock (_registering)
            caches = [.. _caches];
        return [.. caches.SelectMany(static tables => tables())];
    }

    private static Measurement<long> Measure(MeteredTable table, long figure, string tag, string value) =>
        new(figure, new KeyValuePair<string, object?>(TableNameTag, table.Name), new KeyValuePair<string, object?>(tag, value));
}

/// <summary>A table's figures for instruments.</summary>
/// <param name="Name">The table's name.</param>
/// <param name="Options">Its options.</param>
/// <param name="Figures">The value of each <see cref="Counter"/>.</param>
/// <param name="Statistics">Its statistics.</param>
internal readonly record struct MeteredTable(string Name, TableOptions Options, long[] Figures, TableStatistics Statistics);
