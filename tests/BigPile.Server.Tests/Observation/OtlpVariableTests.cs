using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace BigPile.Server.Tests.Observation;

/// <summary>Alone: the variables are the process's, and every other server would go by them.</summary>
[Collection(AloneGroup.Name)]
public sealed class OtlpVariableTests
{
    [Fact]
    public async Task The_standard_variables_do_without_a_setting()
    {
        using var directory = new TemporaryDirectory();
        await using OtlpCollector collector = await OtlpCollector.StartAsync();
        using var variables = new Variables(
            ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address), ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret"), ("OTEL_SERVICE_NAME", "shop-cache"), ("OTEL_TRACES_SAMPLER", "always_on"));
        await using RunningServer server = await RunningServer.StartAsync(directory.Pile);
        (await server.PutAsync("/v1/tables/t/entries/k", [1])).EnsureSuccessStatusCode();
        Assert.True(server.Service<MeterProvider>().ForceFlush());
        Assert.Equal("secret", collector.ApiKey);
        Assert.All(collector.Resources, static resource => Assert.Contains("service.name=shop-cache ", resource, StringComparison.Ordinal));
        await Eventually.TrueAsync(() =>
        {
            Assert.True(server.Service<TracerProvider>().ForceFlush());
            return collector.Spans.Any(static span => span.Tags.Contains("http.request.method=PUT", StringComparison.Ordinal));
        });
    }

    [Theory]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS", "novalue")]
    [InlineData("OTEL_METRIC_EXPORT_INTERVAL", "0")]
    public void A_variable_that_it_can_not_begin_with_is_told_in_a_line(string name, string value)
    {
        using var directory = new TemporaryDirectory();
        using var variables = new Variables(("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"), (name, value));
        SettingsException e = Assert.Throws<SettingsException>(() => ServerApplication.Build(RunningServer.Arguments(directory.Pile)));
        Assert.StartsWith(
            "OpenTelemetry can't begin with the settings 'Otlp:…' and the variables OTEL_…: ", e.Message, StringComparison.Ordinal);
    }

    /// <summary>Variables of the environment, until it is disposed.</summary>
    private sealed class Variables : IDisposable
    {
        private readonly string[] _names;

        internal Variables(params (string Name, string Value)[] variables)
        {
            _names = [.. variables.Select(static variable => variable.Name)];
            foreach ((string name, string value) in variables)
                Environment.SetEnvironmentVariable(name, value);
        }

        public void Dispose()
        {
            foreach (string name in _names)
                Environment.SetEnvironmentVariable(name, null);
        }
    }
}
