using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Metrics:…</c>.</summary>
/// <param name="IsOn">Whether metrics are collected and served.</param>
/// <param name="Path">The path that serves them.</param>
/// <param name="AllowWithoutKeys">Whether they are served without a key.</param>
/// <param name="Meters">The meters to serve.</param>
internal sealed record MetricSettings(bool IsOn, string Path, bool AllowWithoutKeys, IReadOnlyList<string> Meters)
{
    internal static readonly string[] Known = ["Metrics:Enabled", "Metrics:Path", "Metrics:AllowWithoutKeys", "Metrics:Meters"];

    private static readonly string[] DefaultMeters =
        [PileTelemetry.MeterName, PileTelemetry.ServerMeterName, "System.Runtime", "Microsoft.AspNetCore.Server.Kestrel"];

    private static readonly string[] TakenPaths = ["/v1", "/health", "/openapi", "/console"];

    /// <exception cref="SettingsException">A setting is unknown or wrong.</exception>
    internal static MetricSettings Read(IConfiguration configuration)
    {
        Setting.RefuseUnknown(configuration.GetSection("Metrics"), Known);
        string path = Setting.Text(configuration, "Metrics:Path") ?? "/metrics";
        if (!path.StartsWith('/') || path.AsSpan().ContainsAny("{}?#%*\\ "))
            throw SettingsException.Of("Metrics:Path", path, "be a path such as /metrics");
        if (TakenPaths.FirstOrDefault(taken => IsAtOrBelow(path, taken)) is { } other)
            throw new SettingsException(
                $"The setting 'Metrics:Path' is '{path}', where the service has '{other}' already; choose another path, such as /metrics.");
        string[] meters = Setting.List(configuration, "Metrics:Meters") is { Length: > 0 } named ? named : DefaultMeters;
        return new MetricSettings(
            Setting.Switch(configuration, "Metrics:Enabled", true), path, Setting.Switch(configuration, "Metrics:AllowWithoutKeys", false),
            meters);
    }

    private static bool IsAtOrBelow(string path, string taken) =>
        path.Trim('/').Length == 0 || path.Equals(taken, StringComparison.OrdinalIgnoreCase)
        || path.StartsWith(taken + "/", StringComparison.OrdinalIgnoreCase);
}
