using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Observation;

/// <summary>The page that lists every option and every instrument is true.</summary>
public sealed class ReferenceTests : ServerTest
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);
    private static readonly string PagePath = Path.Combine(SourceTree.Root, "src", "REFERENCE.md");

    private readonly ConcurrentDictionary<Instrument, ConcurrentDictionary<string, bool>> _tags = new();

    [Fact]
    public async Task The_reference_lists_every_option_and_every_instrument()
    {
        Assert.Empty(ReferencePage.Unlisted);
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                bool isMine = instrument.Meter.Scope == null || instrument.Meter.Scope == Server.Service<IMeterFactory>();
                if (isMine && instrument.Meter.Name.StartsWith("BigPile", StringComparison.Ordinal) && _tags.TryAdd(instrument, new()))
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) => Record(instrument, tags));
        listener.SetMeasurementEventCallback<int>((instrument, _, tags, _) => Record(instrument, tags));
        listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => Record(instrument, tags));
        listener.Start();
        (await Server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        (await Client.GetAsync("/v1/tables/t/entries/k")).EnsureSuccessStatusCode();
        UseAll();
        listener.RecordObservableInstruments();

        // Other tests have piles, too, of which some have measured nothing yet.
        string page = ReferencePage.Write(
            from one in _tags
            group one.Value.Keys by (one.Key.Meter.Name, Instrument: one.Key.Name, Kind: KindOf(one.Key), one.Key.Unit, one.Key.Description)
            into same
            let about = same.Key
            select new ListedInstrument(
                about.Name, about.Instrument, about.Kind, about.Unit, TextOf(same.SelectMany(static tags => tags).Distinct()),
                about.Description));
        string[] names = [.. ReferencePage.Names.Select(static one => one.Name)];
        Assert.All(_tags.Keys, instrument => Assert.Contains(instrument.Name, names));
        Assert.All(_tags.SelectMany(static one => one.Value.Keys), tag => Assert.True(
            names.Contains(tag) || tag.StartsWith("http.", StringComparison.Ordinal), $"{tag} is no constant"));
        if (Environment.GetEnvironmentVariable("BIGPILE_APPROVE") == "1")
            await File.WriteAllTextAsync(PagePath, page);
        Assert.True(
            page == await File.ReadAllTextAsync(PagePath),
            $"{PagePath} is not what the libraries say; write it anew with BIGPILE_APPROVE=1. It would be:\n{page}");
    }

    // Each histogram gets a measurement with its tags.
    private void UseAll()
    {
        string directory = Path.Combine(Files.Path, "used");
        for (int opening = 0; opening < 2; opening++)
        {
            using Pile pile = Pile.Open(directory, new PileOptions { SegmentBytes = 4 << 20 });
            using var cache = new PileCache(
                pile, new PileCacheOptions { WaitsUntilReady = true, SweepPeriod = TimeSpan.FromMilliseconds(5) });
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(new TableOptions("used") { FeedBytes = 1 << 20 });
            Assert.Equal("made", table.GetOrAdd("key", static _ => "made"));
            pile.Flush();
            Assert.True(SpinWait.SpinUntil(IsSwept, Timeout));
        }
    }

    private bool IsSwept() => _tags.Any(static one => one.Key.Name == "bigpile.sweep.duration" && !one.Value.IsEmpty);

    private void Record(Instrument instrument, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        foreach ((string name, _) in tags)
            _tags[instrument][name] = true;
    }

    private static string TextOf(IEnumerable<string> tags) =>
        string.Join(", ", tags.Order(StringComparer.Ordinal).Select(static tag => $"`{tag}`"));

    private static string KindOf(Instrument instrument) => instrument.GetType().Name.Split('`')[0] switch
    {
        "ObservableCounter" or "Counter" => "counter",
        "ObservableUpDownCounter" or "UpDownCounter" or "ObservableGauge" or "Gauge" => "gauge",
        "Histogram" => "histogram",
        var other => other,
    };
}
