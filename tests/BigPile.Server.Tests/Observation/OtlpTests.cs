using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Observation;

/// <summary>What a collector of OpenTelemetry gets from the service.</summary>
/// <remarks>Alone: OpenTelemetry tells meters of one name from each other by nothing, whatever host of the process they are of.</remarks>
[Collection(AloneGroup.Name)]
public sealed class OtlpTests(ITestOutputHelper output) : IDisposable
{
    private const string Trace = "0AF7651916CD43DD8448EB211C80319C";
    private const string TracedByClient = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_collector_gets_the_figures_of_a_scrape()
    {
        await using OtlpCollector collector = await OtlpCollector.StartAsync();
        await using RunningServer server = await StartAsync(collector);
        for (int i = 0; i < 20; i++)
            (await server.PutAsync($"/v1/tables/t/entries/{i}", new byte[100 * i])).EnsureSuccessStatusCode();
        for (int i = 0; i < 30; i++)
            await server.Client.GetAsync($"/v1/tables/t/entries/{i}");
        (await server.SendAsync("POST", "/v1/admin:flush", null)).EnsureSuccessStatusCode();
        await Eventually.TrueAsync(async () =>
            (await server.Client.GetStringAsync("/metrics")).Contains("bigpile_flush_duration_seconds_count", StringComparison.Ordinal));

        string scrape = await server.Client.GetStringAsync("/metrics");
        Assert.True(server.Service<MeterProvider>().ForceFlush());
        SentPoint[] points = collector.LastPoints();
        Dictionary<string, double> scraped = ReadScrape(scrape);
        int compared = 0;
        foreach (SentPoint point in points.Where(IsSteady))
        {
            bool isHistogram = point.Buckets.Length != 0;
            string name = PrometheusNameOf(point) + (isHistogram ? "_sum" : "") + LabelsOf(point.Tags);
            Assert.True(scraped.TryGetValue(name, out double value), $"{name} is not in the scrape.");
            Assert.Equal(value, point.Value, 1e-9);
            if (isHistogram)
            {
                Assert.Equal(scraped[PrometheusNameOf(point) + "_count" + LabelsOf(point.Tags)], point.Count);
                Assert.Equal(BucketsOf(scrape, PrometheusNameOf(point), LabelsOf(point.Tags)), point.Buckets);
            }
            output.WriteLine($"{point.Name} [{point.Unit}] {{{point.Tags}}}: scrape {value}, OTLP {point.Value}");
            compared++;
        }
        Assert.InRange(compared, 30, 200);
        Assert.Equal(
            ("{entry}", false, 20.0), Single(points, CacheTelemetry.EntryCount, "bigpile.cache.name=t"));
        Assert.Equal(
            ("{request}", true, 20.0),
            Single(points, CacheTelemetry.Requests, "bigpile.cache.name=t bigpile.cache.request.type=hit"));
        Assert.Equal("By", points.First(static point => point.Name == PileTelemetry.ReservedMemory).Unit);
        Assert.Equal("s", points.First(static point => point.Name == HttpTelemetry.RequestDuration).Unit);
        Assert.Contains(points, static point => point.Scope == "System.Runtime");
    }

    [Fact]
    public async Task A_request_that_its_client_traces_is_traced_with_what_the_service_does_for_it()
    {
        await using OtlpCollector collector = await OtlpCollector.StartAsync();
        await using RunningServer server = await StartAsync(collector);
        (await server.SendAsync("PUT", "/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode(); // which nobody traces
        (await server.SendAsync("POST", "/v1/admin:flush", null, ("traceparent", TracedByClient))).EnsureSuccessStatusCode();
        await Eventually.TrueAsync(() =>
        {
            Assert.True(server.Service<TracerProvider>().ForceFlush());
            return collector.Spans.Any(static span => span.Name == PileTelemetry.FlushActivity)
                && collector.Spans.Any(static span => span.Scope == "Microsoft.AspNetCore"); // which ends behind its answer
        });
        SentSpan[] traced = [.. collector.Spans.Where(static span => span.Trace == Trace)];
        output.WriteLine(OtlpCollector.Tree(traced));
        SentSpan request = Assert.Single(traced, static span => span.Scope == "Microsoft.AspNetCore");
        Assert.Contains("http.request.method=POST", request.Tags, StringComparison.Ordinal);
        Assert.Contains("url.path=/v1/admin:flush", request.Tags, StringComparison.Ordinal);
        Assert.Contains("http.response.status_code=202", request.Tags, StringComparison.Ordinal);
        SentSpan flush = Assert.Single(traced, static span => span.Name == PileTelemetry.FlushActivity);
        Assert.Equal((request.Id, "BigPile"), (flush.Parent, flush.Scope));

        // Nobody traces these but the service itself.
        SentSpan[] own = [.. collector.Spans.Where(static span => span.Trace != Trace)];
        output.WriteLine(OtlpCollector.Tree(own));
        Assert.Contains(own, static span => span.Name == PileTelemetry.OpenActivity);
        Assert.All(own, static span => Assert.Equal("BigPile", span.Scope));
    }

    [Fact]
    public async Task The_log_is_sent_and_names_the_service()
    {
        await using OtlpCollector collector = await OtlpCollector.StartAsync();
        await using (RunningServer server = await StartAsync(collector, "--Serilog:MinimumLevel:Default=Information"))
            (await server.PutAsync("/v1/tables/t/settings", [1])).Dispose();
        output.WriteLine(string.Join('\n', collector.Logs));
        // The same as in the log itself, where the framework's own words are left out.
        Assert.DoesNotContain(collector.Logs, static log => log.Contains("Now listening", StringComparison.Ordinal));
        Assert.Contains(collector.Logs, static log => log.StartsWith("Information The pile is closed", StringComparison.Ordinal));
        Assert.All(collector.Resources, static resource => Assert.Contains("service.name=bigpile ", resource, StringComparison.Ordinal));
        Assert.NotEmpty(collector.Resources);
    }

    [Fact]
    public async Task A_collector_that_speaks_gRPC_gets_the_same()
    {
        await using OtlpCollector collector = await OtlpCollector.StartAsync(HttpProtocols.Http2);
        await using RunningServer server = await StartAsync(collector, "--Otlp:Protocol=Grpc");
        (await server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        Assert.True(server.Service<MeterProvider>().ForceFlush());
        Assert.Equal(("{entry}", false, 1.0), Single(collector.LastPoints(), CacheTelemetry.EntryCount, "bigpile.cache.name=t"));
        Assert.True(server.Service<TracerProvider>().ForceFlush());
        Assert.Contains(collector.Spans, static span => span.Name == PileTelemetry.OpenActivity);
    }

    [Fact]
    public async Task Nothing_is_sent_where_nobody_says_where_to()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
        Assert.Null(server.Services.GetService<MeterProvider>());
        Assert.Null(server.Services.GetService<TracerProvider>());
    }

    [Theory]
    [InlineData("--Otlp:Endpoint=localhost:4317", "'Otlp:Endpoint' is 'localhost:4317'; it must be an address such as")]
    [InlineData("--Otlp:Protocol=Grpc", "'Otlp:Protocol' goes with 'Otlp:Endpoint'")]
    [InlineData("--Otlp:Endpont=http://127.0.0.1:4317", "There is no setting 'Otlp:Endpont'. Did you mean 'Otlp:Endpoint'?")]
    public void A_wrong_setting_is_named(string setting, string words)
    {
        SettingsException e = Assert.Throws<SettingsException>(
            () => ServerApplication.Build(RunningServer.Arguments(_directory.Pile, setting)));
        Assert.Contains(words, e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_collector_that_is_away_is_nobodys_trouble_and_a_line_of_the_log()
    {
        string address;
        await using (OtlpCollector gone = await OtlpCollector.StartAsync())
            address = gone.Address;
        using var log = new KeptLog();
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, services => services.AddSingleton<ILoggerProvider>(log), $"--Otlp:Endpoint={address}",
            "--Otlp:Protocol=HttpProtobuf");
        (await server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        (await server.Client.GetAsync("/metrics")).EnsureSuccessStatusCode();
        for (int i = 0; i < 3; i++)
            server.Service<MeterProvider>().ForceFlush();
        string line = Assert.Single(log.Lines, static line => line.Contains("OpenTelemetry: ", StringComparison.Ordinal));
        Assert.Contains(new Uri(address).Authority, line, StringComparison.Ordinal);
    }

    private Task<RunningServer> StartAsync(OtlpCollector collector, params string[] settings) => RunningServer.StartAsync(
        _directory.Pile, [$"--Otlp:Endpoint={collector.Address}", "--Otlp:Protocol=HttpProtobuf", .. settings]);

    // What moves by itself between a scrape and an export: the runtime's, and those of connections and of the scrape itself.
    private static bool IsSteady(SentPoint point) =>
        (point.Scope == PileTelemetry.MeterName && point.Name != CacheTelemetry.SweepDuration)
        || (point.Scope == PileTelemetry.ServerMeterName && point.Name is HttpTelemetry.DoorRequests);

    private static (string Unit, bool IsMonotonic, double Value) Single(SentPoint[] points, string name, string tags)
    {
        SentPoint found = Assert.Single(points, point => point.Name == name && point.Tags == tags);
        return (found.Unit, found.IsMonotonic, found.Value);
    }

    private static Dictionary<string, double> ReadScrape(string text) => text.Split('\n')
        .Where(static line => line.Length != 0 && line[0] != '#')
        .Select(static line => (Name: line[..line.LastIndexOf(' ')], Value: line[(line.LastIndexOf(' ') + 1)..]))
        .ToDictionary(static line => line.Name, static line => double.Parse(line.Value, CultureInfo.InvariantCulture));

    private static string PrometheusNameOf(SentPoint point)
    {
        string unit = point.Unit switch { "By" => "_bytes", "s" => "_seconds", _ => "" };
        return point.Name.Replace('.', '_') + unit + (point.IsMonotonic ? "_total" : "");
    }

    private static string LabelsOf(string tags) => tags.Length == 0 ? "" : "{" + string.Join(',',
        tags.Split(' ').Select(static tag => $"{tag.Split('=')[0].Replace('.', '_')}=\"{tag.Split('=')[1]}\"")) + "}";

    // Prometheus counts all that is below a bound, OTLP what is between two.
    private static string BucketsOf(string scrape, string name, string labels)
    {
        string start = labels.Length == 0 ? $"{name}_bucket{{le=" : $"{name}_bucket{labels[..^1]},le=";
        double[] upTo =
        [
            .. scrape.Split('\n').Where(line => line.StartsWith(start, StringComparison.Ordinal))
                .Select(static line => double.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture)),
        ];
        return string.Join(' ', upTo.Select((count, i) => count - (i == 0 ? 0 : upTo[i - 1])));
    }
}
