using System;
using System.Linq;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Otlp:…</c>: where metrics, traces and logs are sent.</summary>
/// <param name="Endpoint">The collector; <see langword="null"/>: as the variables <c>OTEL_…</c> say.</param>
/// <param name="Protocol">The collector's protocol.</param>
internal sealed record OtlpSettings(Uri? Endpoint, OtlpProtocol Protocol)
{
    internal static readonly string[] Known = ["Otlp:Endpoint", "Otlp:Protocol"];

    private static readonly string[] Variables =
    [
        "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
    ];

    /// <summary>Reads the settings.</summary>
    /// <returns><see langword="null"/> if nothing is exported.</returns>
    /// <exception cref="SettingsException">A setting is unknown or wrong.</exception>
    internal static OtlpSettings? Read(IConfiguration configuration)
    {
        Setting.RefuseUnknown(configuration.GetSection("Otlp"), Known);
        OtlpProtocol protocol = Setting.Choice(configuration, "Otlp:Protocol", OtlpProtocol.Grpc);
        foreach (string name in Variables)
            _ = AddressOf(configuration, name);
        if (AddressOf(configuration, "Otlp:Endpoint") is { } endpoint)
            return new OtlpSettings(endpoint, protocol);
        if (Setting.Text(configuration, "Otlp:Protocol") != null)
            throw new SettingsException("The setting 'Otlp:Protocol' goes with 'Otlp:Endpoint', such as http://127.0.0.1:4317.");
        return Variables.Any(name => Setting.Text(configuration, name) != null) ? new OtlpSettings(null, protocol) : null;
    }

    private static Uri? AddressOf(IConfiguration configuration, string name)
    {
        if (Setting.Text(configuration, name) is not { } text)
            return null;
        return Uri.TryCreate(text, UriKind.Absolute, out Uri? address) && address.Scheme is "http" or "https"
            ? address
            : throw SettingsException.Of(name, text, "be an address such as http://127.0.0.1:4317");
    }
}

/// <summary>The protocol of a collector.</summary>
internal enum OtlpProtocol
{
    /// <summary>gRPC, usually on port 4317.</summary>
    Grpc,

    /// <summary>HTTP with protobuf, usually on port 4318.</summary>
    HttpProtobuf,
}
