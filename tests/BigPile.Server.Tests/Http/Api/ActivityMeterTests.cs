using System;
using System.Collections.Generic;
using BigPile.Caching;
using BigPile.Http.Api;
using BigPile.Http.Metrics;

namespace BigPile.Server.Tests.Http.Api;

public sealed class ActivityMeterTests
{
    private readonly Clock _clock = new();

    [Fact]
    public void Rates_are_of_the_time_between_looks()
    {
        var meter = new ActivityMeter(new EntryLatency(_clock), _clock);
        Assert.Null(meter.Sample(With(hits: 100)));
        _clock.Ticks += TimeSpan.TicksPerSecond / 2;
        Assert.Null(meter.Sample(With(hits: 150))); // too early to say
        _clock.Ticks += TimeSpan.TicksPerSecond * 3 / 2;
        ActivityReport report = meter.Sample(With(hits: 500))!;
        Assert.Equal((2.0, 200.0), (report.Seconds, report.Tables["t"].Hits));
        _clock.Ticks += TimeSpan.TicksPerSecond / 2;
        Assert.Same(report, meter.Sample(With(hits: 900)));
    }

    [Fact]
    public void A_table_that_is_new_or_counts_anew_has_no_negative_rate()
    {
        var meter = new ActivityMeter(new EntryLatency(_clock), _clock);
        meter.Sample(With(hits: 100));
        _clock.Ticks += TimeSpan.TicksPerSecond;
        Assert.Equal(0, meter.Sample(With(hits: 10))!.Tables["t"].Hits);
        _clock.Ticks += TimeSpan.TicksPerSecond;
        Assert.Empty(meter.Sample(new Dictionary<string, TableStatistics> { ["new"] = new(0, 0, 0, 5, 0, 0, 0) })!.Tables);
    }

    private static Dictionary<string, TableStatistics> With(long hits) => new() { ["t"] = new TableStatistics(0, 0, 0, hits, 0, 0, 0) };

    private sealed class Clock : TimeProvider
    {
        internal long Ticks { get; set; } = 1;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Ticks;
    }
}
