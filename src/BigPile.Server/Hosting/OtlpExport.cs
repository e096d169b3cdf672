using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Logs;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Serilog.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Sends metrics, traces and logs to an OpenTelemetry collector.</summary>
/// <remarks>
/// A request is traced if its client traces it; background work of the service is always traced. The variable <c>OTEL_TRACES_SAMPLER</c>
/// overrides this.
/// </remarks>
internal static class OtlpExport
{
    /// <summary>Adds the exporters.</summary>
    /// <param name="builder">The application's builder.</param>
    /// <param name="settings">The collector.</param>
    /// <param name="meters">The meters.</param>
    /// <param name="log">The application's log; the exporter sends the same entries.</param>
    internal static void AddTo(WebApplicationBuilder builder, OtlpSettings settings, IReadOnlyList<string> meters, Serilog.ILogger log)
    {
        bool hasSampler = Setting.Text(builder.Configuration, "OTEL_TRACES_SAMPLER") != null;
        OpenTelemetryBuilder telemetry = builder.Services.AddOpenTelemetry()
            .ConfigureResource(static resource => resource
                .AddService("bigpile", serviceVersion: typeof(OtlpExport).Assembly.GetName().Version?.ToString(3))
                .AddEnvironmentVariableDetector()) // may override the name
            .WithMetrics(metrics => metrics.AddMeter([.. meters]))
            .WithTracing(traces => Sampled(traces, hasSampler).AddBigPileInstrumentation().AddAspNetCoreInstrumentation())
            .WithLogging(static _ => { }, static logs => logs.IncludeFormattedMessage = true);
        builder.Services.AddSingleton<OtlpTrouble>();
        var logs = new SerilogLoggerProvider(log);
        var categories = new ConcurrentDictionary<string, ILogger>(StringComparer.Ordinal);
        builder.Logging.AddFilter<OpenTelemetryLoggerProvider>(
            (category, level) => categories.GetOrAdd(category ?? "", logs.CreateLogger).IsEnabled(level));
        // As for the log: otherwise the framework creates an activity and a scope for each request.
        builder.Logging.AddFilter<OpenTelemetryLoggerProvider>("Microsoft.AspNetCore.Hosting.Diagnostics", LogLevel.None);
        _ = settings.Endpoint is { } endpoint
            ? telemetry.UseOtlpExporter(ProtocolOf(settings.Protocol), endpoint)
            : telemetry.UseOtlpExporter();
    }

    /// <summary>Builds the application, and starts the exporters before anything they should see.</summary>
    /// <exception cref="SettingsException">A variable can't be used.</exception>
    [SuppressMessage("Design", "CA1031", Justification = "Whatever it throws: it can't begin.")]
    internal static WebApplication Build(WebApplicationBuilder builder)
    {
        WebApplication? app = null;
        try
        {
            app = builder.Build();
            _ = app.Services.GetRequiredService<OtlpTrouble>();
            _ = app.Services.GetRequiredService<MeterProvider>();
            _ = app.Services.GetRequiredService<TracerProvider>();
            return app;
        }
        catch (Exception e)
        {
            ((IDisposable?)app)?.Dispose();
            throw new SettingsException(
                $"OpenTelemetry can't begin with the settings 'Otlp:…' and the variables OTEL_…: {e.GetBaseException().Message}");
        }
    }

    private static OtlpExportProtocol ProtocolOf(OtlpProtocol protocol) =>
        protocol == OtlpProtocol.Grpc ? OtlpExportProtocol.Grpc : OtlpExportProtocol.HttpProtobuf;

    private static TracerProviderBuilder Sampled(TracerProviderBuilder traces, bool hasSampler) =>
        hasSampler ? traces : traces.SetSampler(new ParentBasedSampler(new OwnWorkSampler()));

    /// <summary>Drops requests, and samples all other work.</summary>
    private sealed class OwnWorkSampler : Sampler
    {
        public override SamplingResult ShouldSample(in SamplingParameters samplingParameters) => new(
            samplingParameters.Kind == ActivityKind.Server ? SamplingDecision.Drop : SamplingDecision.RecordAndSample);
    }
}
