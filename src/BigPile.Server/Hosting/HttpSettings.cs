using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Http:…</c>.</summary>
internal sealed record HttpSettings
{
    private static readonly string[] DefaultIgnoredHeaders =
        ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "Forwarded", "Via", "X-Real-IP", "X-Request-Id"];

    private static readonly SearchValues<char> NameCharacters =
        SearchValues.Create("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    private static readonly string[] SignificantPrefixes = ["If-", "Content-", "BigPile-", "Sec-Fetch-", "Proxy-"];

    private static readonly string[] SignificantHeaders =
    [
        "Range", "Host", "Authorization", "X-Api-Key", "Transfer-Encoding", "TE", "Trailer", "Connection", "Keep-Alive", "Upgrade",
            "Expect",
        "Accept-Encoding", "Prefer", "Origin", "HTTP2-Settings",
    ];

    internal static readonly string[] Known = ["Http:FastDoor", "Http:InlineScheduling", "Http:IgnoredHeaders", "Http:MaxLeaseSeconds"];

    /// <summary>Whether plain reads bypass the HTTP stack on the fast path.</summary>
    internal bool FastPath { get; init; }

    /// <summary>Whether requests run on the network threads; see <see cref="InlineScheduling"/>.</summary>
    internal bool InlineScheduling { get; init; }

    /// <summary>Headers that a read may ignore: those that proxies add.</summary>
    internal required IReadOnlyList<string> IgnoredHeaders { get; init; }

    /// <summary>The longest time that a large payload stays leased while it is sent.</summary>
    internal TimeSpan MaxLease { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <exception cref="SettingsException">One is unknown or wrong.</exception>
    internal static HttpSettings Read(IConfiguration configuration)
    {
        Setting.RefuseUnknown(configuration.GetSection("Http"), Known);
        return new HttpSettings
        {
            FastPath = Setting.Switch(configuration, "Http:FastDoor", true),
            InlineScheduling = Setting.Switch(configuration, "Http:InlineScheduling", false),
            IgnoredHeaders = [.. (Setting.List(configuration, "Http:IgnoredHeaders") ?? DefaultIgnoredHeaders).Select(CheckIgnored)],
            MaxLease = Setting.Seconds(configuration, "Http:MaxLeaseSeconds", 10, least: 1),
        };
    }

    // The full stack acts on these headers, so the fast path must not ignore them.
    private static string CheckIgnored(string name)
    {
        if (name.Length == 0 || name.AsSpan().ContainsAnyExcept(NameCharacters))
            throw new SettingsException(
                $"The setting 'Http:IgnoredHeaders' has '{name}', which is no name of a header. One looks like X-Request-Id.");
        bool isSignificant = SignificantHeaders.Contains(name, StringComparer.OrdinalIgnoreCase)
            || SignificantPrefixes.Any(prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));
        return isSignificant
            ? throw new SettingsException($"The setting 'Http:IgnoredHeaders' has '{name}', which means something to a read. Name only "
                + "headers that nobody acts on, such as X-Request-Id.")
            : name;
    }
}
