using System;
using System.Collections.Generic;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Http:…</c>.</summary>
internal sealed record HttpSettings
{
    private static readonly string[] DefaultIgnoredHeaders =
        ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "Forwarded", "Via", "X-Real-IP", "X-Request-Id"];

    internal static readonly string[] Known = ["Http:FastDoor", "Http:InlineScheduling", "Http:IgnoredHeaders", "Http:MaxLeaseSeconds"];

    /// <summary>Whether plain reads are answered ahead of the HTTP stack.</summary>
    internal bool FastDoor { get; init; }

    /// <summary>Whether requests run on the threads that wait for the network; see <see cref="InlineScheduling"/>.</summary>
    internal bool InlineScheduling { get; init; }

    /// <summary>The headers that mean nothing to a read: those that proxies add.</summary>
    internal required IReadOnlyList<string> IgnoredHeaders { get; init; }

    /// <summary>How long a large payload stays leased while it is sent.</summary>
    internal TimeSpan MaxLease { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <exception cref="SettingsException">One is unknown or wrong.</exception>
    internal static HttpSettings Read(IConfiguration configuration)
    {
        Setting.RefuseUnknown(configuration.GetSection("Http"), Known);
        return new HttpSettings
        {
            FastDoor = Setting.Switch(configuration, "Http:FastDoor", true),
            InlineScheduling = Setting.Switch(configuration, "Http:InlineScheduling", false),
            IgnoredHeaders = Setting.List(configuration, "Http:IgnoredHeaders") ?? DefaultIgnoredHeaders,
            MaxLease = Setting.Seconds(configuration, "Http:MaxLeaseSeconds", 10, least: 1),
        };
    }
}
