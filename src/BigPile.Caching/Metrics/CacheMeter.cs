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

    internal CacheMeter(PileCache cache)
    {
        _meter.CreateObservableCounter(
            "bigpile.cache.requests", () => Observe(cache, RequestTag, ("hit", Counter.Hits), ("miss", Counter.Misses)), "{request}",
            "Reads by key.");
        _meter.CreateObservableCounter(
            "bigpile.cache.writes",
            () => ObserveWrites(cache),
            "{write}", "Puts, by what became of them.");
        _meter.CreateObservableCounter(
            "bigpile.cache.removals",
            () =>
                Observe(cache, ReasonTag, ("removed", Counter.Removals), ("expired", Counter.Expirations), ("capacity", Counter.Evictions)),
            "{entry}", "Entries that went, by reason.");
        _meter.CreateObservableUpDownCounter(
            "bigpile.cache.entry.count", () => Observe(cache, static core => core.Count), "{entry}", "Entries.");
        _meter.CreateObservableUpDownCounter(
            "bigpile.cache.capacity", () => Observe(cache, static core => core.Options.MaximumEntries ?? 0), "{entry}",
            "The most entries; 0: no limit.");
        _meter.CreateObservableUpDownCounter("bigpile.memory.used", () => ObserveMemory(cache), "By", "Memory of tables, by kind.");
        _meter.CreateObservableUpDownCounter(
            "bigpile.memory.limit", () => Observe(cache, static core => core.Options.MaximumBytes ?? 0), "By",
            "The most memory; 0: no limit.");
    }

    public void Dispose() => _meter.Dispose();

    private static List<Measurement<long>> Observe(PileCache cache, Func<TableCore, long> figure)
    {
        var all = new List<Measurement<long>>();
        foreach (TableCore core in cache.Cores())
            all.Add(new Measurement<long>(figure(core), new KeyValuePair<string, object?>(NameTag, core.Name)));
        return all;
    }

    private static List<Measurement<long>> Observe(
        PileCache cache, string tag, params ReadOnlySpan<(string Value, Counter Counter)> figures)
    {
        var all = new List<Measurement<long>>();
        foreach (TableCore core in cache.Cores())
        {
            foreach ((string value, Counter counter) in figures)
                all.Add(Measure(core, core.Counters[counter], tag, value));
        }
        return all;
    }

    // An insert that another entry had to go for is counted as both; it shows as overwritten only.
    private static List<Measurement<long>> ObserveWrites(PileCache cache)
    {
        var all = new List<Measurement<long>>();
        foreach (TableCore core in cache.Cores())
        {
            long overwrites = core.Counters[Counter.Overwrites];
            all.Add(Measure(core, core.Counters[Counter.Inserts] - overwrites, WriteTag, "inserted"));
            all.Add(Measure(core, core.Counters[Counter.Replacements], WriteTag, "replaced"));
            all.Add(Measure(core, overwrites, WriteTag, "overwritten"));
            all.Add(Measure(core, core.Counters[Counter.Collisions], WriteTag, "collision"));
        }
        return all;
    }

    private static List<Measurement<long>> ObserveMemory(PileCache cache)
    {
        var all = new List<Measurement<long>>();
        foreach (TableCore core in cache.Cores())
        {
            TableStatistics statistics = core.Statistics;
            all.Add(Measure(core, statistics.BlockBytes, MemoryTag, "payload"));
            all.Add(Measure(core, statistics.IndexBytes, MemoryTag, "index"));
            all.Add(Measure(core, statistics.EvictionBytes, MemoryTag, "eviction"));
        }
        return all;
    }

    private static Measurement<long> Measure(TableCore core, long figure, string tag, string value) =>
        new(figure, new KeyValuePair<string, object?>(NameTag, core.Name), new KeyValuePair<string, object?>(tag, value));
}
