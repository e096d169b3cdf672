using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace BigPile.Caching.Metrics;

/// <summary>The instruments of a cache: meter <c>BigPile</c>, and the table's name as the tag <c>bigpile.cache.name</c>.</summary>
/// <remarks>All are observable: they read the tables' own counters when somebody listens, and cost nothing otherwise.</remarks>
internal sealed class CacheMeter : IDisposable
{
    internal const string MeterName = "BigPile";

    private const string NameTag = "bigpile.cache.name";
    private const string RequestTag = "bigpile.cache.request.type";
    private const string WriteTag = "bigpile.cache.write.result";
    private const string ReasonTag = "reason";
    private const string MemoryTag = "bigpile.memory.kind";

    private readonly Meter _meter = new(MeterName);

    /// <param name="tables">Gives the tables with their figures of now.</param>
    internal CacheMeter(Func<MeteredTable[]> tables)
    {
        _meter.CreateObservableCounter(
            "bigpile.cache.requests", () => Observe(tables, RequestTag, ("hit", Counter.Hits), ("miss", Counter.Misses)), "{request}",
            "Reads by key.");
        _meter.CreateObservableCounter(
            "bigpile.cache.writes",
            () => ObserveWrites(tables),
            "{write}", "Puts, by what became of them.");
        _meter.CreateObservableCounter(
            "bigpile.cache.removals",
            () => Observe(
                tables, ReasonTag, ("removed", Counter.Removals), ("expired", Counter.Expirations), ("capacity", Counter.Evictions)),
            "{entry}", "Entries that went, by reason.");
        _meter.CreateObservableUpDownCounter(
            "bigpile.cache.entry.count", () => Observe(tables, static table => table.Statistics.EntryCount), "{entry}", "Entries.");
        _meter.CreateObservableUpDownCounter(
            "bigpile.cache.capacity", () => Observe(tables, static table => table.Options.MaxEntries ?? 0), "{entry}",
            "The most entries; 0: no limit.");
        _meter.CreateObservableUpDownCounter("bigpile.memory.used", () => ObserveMemory(tables), "By", "Memory of tables, by kind.");
        _meter.CreateObservableUpDownCounter(
            "bigpile.memory.limit", () => Observe(tables, static table => table.Options.MaxBytes ?? 0), "By",
            "The most memory; 0: no limit.");
    }

    public void Dispose() => _meter.Dispose();

    private static List<Measurement<long>> Observe(Func<MeteredTable[]> tables, Func<MeteredTable, long> figure)
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in tables())
            all.Add(new Measurement<long>(figure(table), new KeyValuePair<string, object?>(NameTag, table.Name)));
        return all;
    }

    private static List<Measurement<long>> Observe(
        Func<MeteredTable[]> tables, string tag, params ReadOnlySpan<(string Value, Counter Counter)> figures)
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in tables())
        {
            foreach ((string value, Counter counter) in figures)
                all.Add(Measure(table, table.Figures[(int)counter], tag, value));
        }
        return all;
    }

    // An insert that another entry had to go for is counted as both; it shows as overwritten only.
    private static List<Measurement<long>> ObserveWrites(Func<MeteredTable[]> tables)
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in tables())
        {
            long overwrites = table.Figures[(int)Counter.Overwrites];
            all.Add(Measure(table, table.Figures[(int)Counter.Inserts] - overwrites, WriteTag, "inserted"));
            all.Add(Measure(table, table.Figures[(int)Counter.Replacements], WriteTag, "replaced"));
            all.Add(Measure(table, overwrites, WriteTag, "overwritten"));
            all.Add(Measure(table, table.Figures[(int)Counter.Collisions], WriteTag, "collision"));
        }
        return all;
    }

    private static List<Measurement<long>> ObserveMemory(Func<MeteredTable[]> tables)
    {
        var all = new List<Measurement<long>>();
        foreach (MeteredTable table in tables())
        {
            TableStatistics statistics = table.Statistics;
            all.Add(Measure(table, statistics.BlockBytes, MemoryTag, "payload"));
            all.Add(Measure(table, statistics.IndexBytes, MemoryTag, "index"));
            all.Add(Measure(table, statistics.EvictionBytes, MemoryTag, "eviction"));
        }
        return all;
    }

    private static Measurement<long> Measure(MeteredTable table, long figure, string tag, string value) =>
        new(figure, new KeyValuePair<string, object?>(NameTag, table.Name), new KeyValuePair<string, object?>(tag, value));
}
