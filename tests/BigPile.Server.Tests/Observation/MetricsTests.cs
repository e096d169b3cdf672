using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Observation;

public sealed partial class MetricsTests : ServerTest
{
    private static readonly string Table = $"metered-{Guid.NewGuid():n}"; // the meter is the process's, and other tests have tables too

    [Fact]
    public async Task The_figures_are_those_of_what_happened_in_names_that_Prometheus_expects()
    {
        for (int i = 0; i < 3; i++)
            (await Server.PutAsync($"/v1/tables/{Table}/entries/{i}", new byte[100])).EnsureSuccessStatusCode();
        await Client.GetAsync($"/v1/tables/{Table}/entries/0");
        await Client.GetAsync($"/v1/tables/{Table}/entries/none");

        using HttpResponseMessage response = await Client.GetAsync("/metrics");
        Assert.Equal("text/plain; version=0.0.4; charset=utf-8", response.Content.Headers.ContentType?.ToString());
        string text = await response.Content.ReadAsStringAsync();
        string mine = $"bigpile_cache_name=\"{Table}\"";
        Assert.Equal(3, ValueOf(text, $"bigpile_cache_entry_count{{{mine}}}"));
        Assert.Equal(1, ValueOf(text, $"bigpile_cache_requests_total{{{mine},bigpile_cache_request_type=\"hit\"}}"));
        Assert.Equal(1, ValueOf(text, $"bigpile_cache_requests_total{{{mine},bigpile_cache_request_type=\"miss\"}}"));
        Assert.Equal(3, ValueOf(text, $"bigpile_cache_writes_total{{{mine},bigpile_cache_write_result=\"inserted\"}}"));
        Assert.Equal(3, ValueOf(text, $"bigpile_payload_size_bytes_count{{{mine}}}"));
        Assert.Equal(3, ValueOf(text, $"bigpile_payload_size_bytes_bucket{{{mine},le=\"256\"}}"));
        Assert.Equal(0, ValueOf(text, $"bigpile_payload_size_bytes_bucket{{{mine},le=\"64\"}}"));
        Assert.InRange(ValueOf(text, $"bigpile_payload_size_bytes_sum{{{mine}}}"), 300, 400);
        Assert.Equal(3, ValueOf(text, "bigpile_server_requests_total{http_response_status_code=\"201\"}"));
        Assert.Equal(3, ValueOf(
            text, "bigpile_server_request_duration_seconds_count{http_request_method=\"PUT\",http_response_status_code=\"201\"}"));
        Assert.Contains("# TYPE bigpile_cache_requests_total counter\n", text, StringComparison.Ordinal);
        Assert.Contains("# TYPE bigpile_memory_reserved_bytes gauge\n", text, StringComparison.Ordinal);
        Assert.Contains("# TYPE bigpile_server_request_duration_seconds histogram\n", text, StringComparison.Ordinal);
        Assert.Contains("\ndotnet_gc_collections_total{", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_line_is_of_the_format_and_no_series_is_there_twice()
    {
        (await Server.PutAsync($"/v1/tables/{Table}/entries/k", [1])).EnsureSuccessStatusCode();
        string text = await Client.GetStringAsync("/metrics");
        Assert.EndsWith("\n", text, StringComparison.Ordinal);
        string[] lines = text[..^1].Split('\n');
        Assert.All(lines, static line => Assert.Matches(Line(), line));
        IEnumerable<string> series = lines.Where(static line => line[0] != '#').Select(static line => line[..line.LastIndexOf(' ')]);
        Assert.Empty(series.GroupBy(static one => one).Where(static group => group.Count() > 1).Select(static group => group.Key));
        IEnumerable<string> types =
            lines.Where(static line => line.StartsWith("# TYPE ", StringComparison.Ordinal)).Select(static line => line.Split(' ')[2]);
        Assert.Equal(types.Distinct().Count(), types.Count());
    }

    [Fact]
    public async Task Buckets_only_grow_and_the_last_one_has_all()
    {
        for (int size = 1; size < 100_000; size *= 7)
            (await Server.PutAsync($"/v1/tables/{Table}/entries/{size}", new byte[size])).EnsureSuccessStatusCode();
        string text = await Client.GetStringAsync("/metrics");
        double[] buckets =
        [
            .. text.Split('\n')
                .Where(static line =>
                    line.StartsWith($"bigpile_payload_size_bytes_bucket{{bigpile_cache_name=\"{Table}\"", StringComparison.Ordinal))
                .Select(static line => double.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture)),
        ];
        Assert.True(buckets.Length > 5);
        Assert.Equal(buckets.Order(), buckets);
        Assert.Equal(buckets[^1], ValueOf(text, $"bigpile_payload_size_bytes_count{{bigpile_cache_name=\"{Table}\"}}"));
    }

    [Fact]
    public async Task Methods_that_clients_make_up_are_one_series()
    {
        foreach (string method in new[] { "BREW", "WHEN", "PROPFIND" })
            await Client.SendAsync(new HttpRequestMessage(new HttpMethod(method), "/v1/tables"));
        string text = await Client.GetStringAsync("/metrics");
        Assert.Equal(3, ValueOf(
            text, "bigpile_server_request_duration_seconds_count{http_request_method=\"_OTHER\",http_response_status_code=\"405\"}"));
        Assert.DoesNotContain("BREW", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Whoever_listens_to_meters_sees_the_same()
    {
        var seen = new Dictionary<string, long>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, self) =>
        {
            if (instrument.Meter.Name is "BigPile" or "BigPile.Server")
                self.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            bool isMine = instrument.Meter.Name == "BigPile.Server" || tags.ToArray().Any(static tag => (tag.Value as string) == Table);
            if (isMine)
                seen[instrument.Name] = value;
        });
        listener.Start();
        (await Server.PutAsync($"/v1/tables/{Table}/entries/k", [1])).EnsureSuccessStatusCode();
        listener.RecordObservableInstruments();
        Assert.Equal(1, seen["bigpile.cache.entry.count"]);
        Assert.True(seen["bigpile.server.requests"] > 0);
    }

    private static double ValueOf(string text, string series)
    {
        string line = Assert.Single(text.Split('\n'), line => line.StartsWith(series + " ", StringComparison.Ordinal));
        return double.Parse(line[(series.Length + 1)..], CultureInfo.InvariantCulture);
    }

    [GeneratedRegex(
        "^(# (HELP|TYPE) [a-zA-Z_][a-zA-Z0-9_]* .*|"
        + """[a-zA-Z_][a-zA-Z0-9_]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\.)*",?)+\})? (-?[0-9.eE+-]+|[+-]Inf|NaN))$""")]
    private static partial Regex Line();
}
