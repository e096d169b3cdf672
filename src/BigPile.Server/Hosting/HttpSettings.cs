using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Http:…</c>.</summary>
internal sealed record HttpSettings
{
    private const string DefaultIgnoredHeaders = "X-Forwarded-For,X-Forwarded-Proto,X-Forwarded-Host,X-Forwarded-Port,Forwarded,Via,X-Real-IP,X-Request-Id";

    private static readonly string[] Known = ["Http:FastDoor", "Http:InlineScheduling", "Http:IgnoredHeaders", "Http:MaxLeaseSeconds"];

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
        foreach (IConfigurationSection section in configuration.GetSection("Http").GetChildren())
        {
            if (!Known.Contains(section.Path, StringComparer.OrdinalIgnoreCase))
                throw new SettingsException($"There is no setting '{section.Path}'. There are: {string.Join(", ", Known)}.");
        }
        return new HttpSettings
        {
            FastDoor = Switch(configuration, "Http:FastDoor", true),
            InlineScheduling = Switch(configuration, "Http:InlineScheduling", false),
            IgnoredHeaders = (configuration["Http:IgnoredHeaders"] ?? DefaultIgnoredHeaders)
                .Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries),
            MaxLease = Seconds(configuration, "Http:MaxLeaseSeconds", 10),
        };
    }

    private static bool Switch(IConfiguration configuration, string name, bool otherwise)
    {
        if (configuration[name] is not { } text || string.IsNullOrWhiteSpace(text))
            return otherwise;
        return bool.TryParse(text, out bool value)
            ? value
            : throw new SettingsException($"The setting '{name}' is '{text}'; it must be true or false.");
    }

    private static TimeSpan Seconds(IConfiguration configuration, string name, int otherwise)
    {
        if (configuration[name] is not { } text || string.IsNullOrWhiteSpace(text))
            return TimeSpan.FromSeconds(otherwise);
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) && seconds is >= 1 and <= 86_400
            ? TimeSpan.FromSeconds(seconds)
            : throw new SettingsException($"The setting '{name}' is '{text}'; it must be a number of seconds from 1 to 86400.");
    }
}
