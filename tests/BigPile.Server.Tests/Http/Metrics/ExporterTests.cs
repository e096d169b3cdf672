using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using BigPile.Caching;
using BigPile.Http.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.Server.Tests.Http.Metrics;

public sealed class ExporterTests : IDisposable
{
    private readonly string _name = $"exported-{Guid.NewGuid():n}";
    private readonly ServiceProvider _services = new ServiceCollection().AddMetrics().BuildServiceProvider();
    private readonly IMeterFactory _factory;
    private readonly Meter _meter;
    private readonly MetricCollector _collector;

    public ExporterTests()
    {
        _factory = _services.GetRequiredService<IMeterFactory>();
        _meter = _factory.Create(_name);
        _collector = new MetricCollector([_name], _factory, NullLogger<MetricCollector>.Instance);
    }

    public void Dispose()
    {
        _collector.Dispose();
        _services.Dispose();
    }

    [Fact]
    public void Instruments_of_all_kinds_are_written()
    {
        _meter.CreateCounter<int>("a.things", "{thing}", "Things.").Add(3);
        _meter.CreateUpDownCounter<long>("b.level").Add(-2);
        Gauge<double> gauge = _meter.CreateGauge<double>("c.share", "1");
        gauge.Record(0.25);
        gauge.Record(0.5);
        Histogram<double> histogram =
            _meter.CreateHistogram<double>("d.wait", "s", advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = [1, 2] });
        histogram.Record(1);
        histogram.Record(5);
        Assert.Equal(
            """
            # HELP a_things_total Things.
            # TYPE a_things_total counter
            a_things_total 3
            # HELP b_level 
            # TYPE b_level gauge
            b_level -2
            # HELP c_share_ratio 
            # TYPE c_share_ratio gauge
            c_share_ratio 0.5
            # HELP d_wait_seconds 
            # TYPE d_wait_seconds histogram
            d_wait_seconds_bucket{le="1"} 1
            d_wait_seconds_bucket{le="2"} 1
            d_wait_seconds_bucket{le="+Inf"} 2
            d_wait_seconds_sum 6
            d_wait_seconds_count 2

            """,
            _collector.Collect());
    }

    [Fact]
    public void Tags_are_escaped_and_what_is_not_observed_again_is_gone()
    {
        string[] names = ["quote\" back\\ line\n"];
        _meter.CreateObservableGauge(
            "x", () => names.Select(static name => new Measurement<long>(1, new KeyValuePair<string, object?>("the.tag", name))));
        Assert.Contains("x{the_tag=\"quote\\\" back\\\\ line\\n\"} 1\n", _collector.Collect(), StringComparison.Ordinal);
        names = ["other"];
        string text = _collector.Collect();
        Assert.Contains("x{the_tag=\"other\"} 1\n", text, StringComparison.Ordinal);
        Assert.DoesNotContain("quote", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Instruments_of_one_name_are_added_up_where_their_tags_are_equal()
    {
        using Meter second = _factory.Create(new MeterOptions(_name) { Version = "2" });
        foreach (Meter meter in new[] { _meter, second })
            meter.CreateObservableCounter("x", static () => 5L);
        Assert.Contains("x_total 10\n", _collector.Collect(), StringComparison.Ordinal);
    }

    [Fact]
    public void An_instrument_that_throws_does_not_hide_the_others()
    {
        _meter.CreateObservableCounter("bad", new Func<long>(static () => throw new InvalidOperationException()));
        _meter.CreateObservableCounter("good", static () => 1L);
        Assert.Contains("good_total 1\n", _collector.Collect(), StringComparison.Ordinal);
    }

    [Fact]
    public void Meters_of_another_application_are_not_listened_to()
    {
        using ServiceProvider other = new ServiceCollection().AddMetrics().BuildServiceProvider();
        other.GetRequiredService<IMeterFactory>().Create(_name).CreateCounter<long>("theirs").Add(1);
        Assert.Equal("", _collector.Collect());
    }

    [Fact]
    public void The_sets_of_tags_of_an_instrument_are_bounded()
    {
        Counter<long> counter = _meter.CreateCounter<long>("x");
        for (int i = 0; i < Metric.MaxSeries + 500; i++)
            counter.Add(1, new KeyValuePair<string, object?>("tag", i));
        string text = _collector.Collect();
        Assert.Equal(Metric.MaxSeries + 1, text.Split('\n').Count(static line => line.StartsWith("x_total{", StringComparison.Ordinal)));
        Assert.Contains("x_total{otel_metric_overflow=\"true\"} 500\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Series_of_tables_that_are_no_more_go_and_give_their_room_to_new_ones()
    {
        using var collector = new MetricCollector(["BigPile"], _factory, NullLogger<MetricCollector>.Instance);
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        using var cache = new PileCache(pile);
        string id = Guid.NewGuid().ToString("n"); // the meter is the process's
        CacheTable<string, byte[]> kept = cache.GetOrCreateTable<string, byte[]>("kept-" + id);
        for (int i = 0; i < Metric.MaxSeries + 10; i++)
        {
            string name = $"t{i}-{id}";
            cache.GetOrCreateTable<string, byte[]>(name).Put("k", [1]);
            Assert.True(cache.DropTable(name));
        }
        kept.Put("k", [1]);
        Assert.Contains("bigpile_payload_size_bytes_count{otel_metric_overflow=", collector.Collect(), StringComparison.Ordinal);
        kept.Put("k", [2]);
        cache.GetOrCreateTable<string, byte[]>("new-" + id).Put("k", [1]);
        string text = collector.Collect();
        Assert.DoesNotContain($"t0-{id}", text, StringComparison.Ordinal);
        Assert.Contains($"bigpile_payload_size_bytes_count{{bigpile_cache_name=\"kept-{id}\"}} 1\n", text, StringComparison.Ordinal);
        Assert.Contains($"bigpile_payload_size_bytes_count{{bigpile_cache_name=\"new-{id}\"}} 1\n", text, StringComparison.Ordinal);
        Assert.Equal(OfOwn(text), OfOwn(collector.Collect())); // what is there stays

        // Other tests make and drop tables at the same time.
        int OfOwn(string all) => all.Split('\n').Count(line => line.Contains(id, StringComparison.Ordinal));
    }

    [Fact]
    public void Tags_of_other_meters_are_no_tables()
    {
        _meter.CreateCounter<long>("x").Add(1, new KeyValuePair<string, object?>("bigpile.cache.name", "none"));
        _collector.Collect();
        Assert.Contains("x_total{bigpile_cache_name=\"none\"} 1\n", _collector.Collect(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_measurement_makes_no_object()
    {
        Counter<long> counter = _meter.CreateCounter<long>("x");
        Histogram<double> histogram = _meter.CreateHistogram<double>("y", "s");
        var tag = new KeyValuePair<string, object?>("tag", "value");
        for (int i = 0; i < 1_000; i++)
            Measure(counter, histogram, tag);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 10_000; i++)
            Measure(counter, histogram, tag);
        long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        // Objects would be 480,000 bytes and more. What a collection meanwhile takes from a thread counts as allocated: some KB each time.
        Assert.True(bytes < 100_000, $"{bytes} bytes in 20,000 measurements");
    }

    private static void Measure(Counter<long> counter, Histogram<double> histogram, KeyValuePair<string, object?> tag)
    {
        counter.Add(1, tag);
        histogram.Record(0.5, tag);
    }
}
