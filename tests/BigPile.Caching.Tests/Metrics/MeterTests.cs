using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Concurrency;

namespace BigPile.Caching.Tests.Metrics;

public sealed class MeterTests
{
    [Fact]
    public void The_instruments_tell_of_each_table_by_name_and_of_none_after_the_end()
    {
        string name = $"metered-{Guid.NewGuid()}";
        var seen = new List<(string Instrument, long Value, string Tags)>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Name == "BigPile")
                self.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            var all = tags.ToArray().ToDictionary(tag => tag.Key, tag => tag.Value?.ToString());
            if (all.Remove("bigpile.cache.name", out string? table) && table == name)
                seen.Add((instrument.Name, value, string.Join(',', all.Values)));
        });
        var spans = new List<(string Instrument, double Seconds)>();
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) =>
        {
            if (tags.ToArray().Any(tag => tag.Key == "bigpile.cache.name" && tag.Value?.ToString() == name))
                spans.Add((instrument.Name, value));
        });
        listener.Start();
        using (PileCache cache = TestCache.Make())
        {
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(
                TestCache.Durable(name) with { MaxEntries = 2, FeedBytes = 256 << 10 });
            foreach (string key in new[] { "a", "b", "c", "c" })
                table.Put(key, "1");
            table.TryGet("c", out _);
            table.TryGet("none", out _);
            table.Remove("c");
            listener.RecordObservableInstruments();
            Assert.Contains(("bigpile.cache.requests", 1, "hit"), seen);
            Assert.Contains(("bigpile.cache.requests", 1, "miss"), seen);
            Assert.Contains(("bigpile.cache.writes", 2, "inserted"), seen);
            Assert.Contains(("bigpile.cache.writes", 1, "overwritten"), seen);
            Assert.Contains(("bigpile.cache.writes", 1, "replaced"), seen);
            Assert.Contains(("bigpile.cache.removals", 1, "capacity"), seen);
            Assert.Contains(("bigpile.cache.removals", 1, "removed"), seen);
            Assert.Contains(("bigpile.cache.entry.count", 1, ""), seen);
            Assert.Contains(("bigpile.cache.capacity", 2, ""), seen);
            Assert.Contains(seen, one => one is { Instrument: "bigpile.cache.memory.used", Tags: "index", Value: > 0 });
            Assert.Contains(seen, one => one is { Instrument: "bigpile.cache.memory.used", Tags: "feed", Value: > 200_000 });
            Assert.Contains(("bigpile.cache.feed.readers", 0, ""), seen);
            Assert.Contains(spans, static one => one is { Instrument: "bigpile.cache.feed.window", Seconds: >= 0 });
            Assert.Contains(("bigpile.cache.feed.lag", 0), spans);
        }
        seen.Clear();
        listener.RecordObservableInstruments();
        Assert.Empty(seen);
    }

    [Fact]
    public async Task Factories_payloads_and_sweeps_are_measured()
    {
        string name = $"measured-{Guid.NewGuid()}";
        var seen = new ConcurrentQueue<(string Instrument, double Value, string Tags)>();
        var inside = new ConcurrentQueue<string>(); // a listener is code of the application, which may wait for anything
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, self) =>
        {
            if (instrument.Meter.Name == "BigPile")
                self.EnableMeasurementEvents(instrument);
        };
        void OnMeasured(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            var all = tags.ToArray().ToDictionary(tag => tag.Key, tag => tag.Value?.ToString());
            if (!all.Remove("bigpile.cache.name", out string? table) || table != name)
                return;
            seen.Enqueue((instrument.Name, value, string.Join(',', all.Values)));
            if (PileRegions.Current.IsOpen)
                inside.Enqueue(instrument.Name);
        }
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => OnMeasured(instrument, value, tags));
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => OnMeasured(instrument, value, tags));
        listener.Start();

        var time = new ManualTime();
        using var pile = new Pile();
        using var cache = new PileCache(pile, new PileCacheOptions { TimeProvider = time });
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>(TestCache.Durable(name));
        table.GetOrAdd("made", static _ => new byte[100], new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        table.GetOrAdd("made", static _ => throw new InvalidOperationException("it is there"));
        await table.GetOrAddAsync("later", static async (_, _) =>
        {
            await Task.Yield();
            return new byte[300];
        });
        Assert.Throws<FormatException>(() => table.GetOrAdd("broken", static _ => throw new FormatException()));
        time.Advance(TimeSpan.FromMinutes(1));

        Assert.Empty(inside);
        Assert.Equal(2, seen.Count(static one => one is { Instrument: "bigpile.cache.factory.duration", Value: > 0, Tags: "" }));
        Assert.Single(seen, static one => one is { Instrument: "bigpile.cache.factory.duration", Tags: "System.FormatException" });
        Assert.Equal([true, true], seen.Where(
            static one => one.Instrument == "bigpile.payload.size").Select(static one => one.Value is >= 100 and < 320));
        Assert.Contains(seen, static one => one is { Instrument: "bigpile.sweep.duration", Value: > 0 });
    }
}
