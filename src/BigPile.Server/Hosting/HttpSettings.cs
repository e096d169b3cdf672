using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

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

/// <summary>Runs requests on the network threads instead of the thread pool.</summary>
/// <remarks>
/// Saves a thread switch per request. But a request that blocks stalls every connection of its thread, and a page fault that reads from
/// disk blocks: use it only where the pile's segments are resident. Two switches belong together, since one alone is slower than none: the
/// sockets' (an environment variable, read when the first socket is created) and the server's.
/// </remarks>
internal static class InlineScheduling
{
    internal const string Variable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>Switches it on. Must be called before the process creates a socket.</summary>
    internal static void Enable(IWebHostBuilder host)
    {
        Environment.SetEnvironmentVariable(Variable, "1");
        host.ConfigureServices(static services =>
            services.Configure<SocketTransportOptions>(static sockets => sockets.UnsafePreferInlineScheduling = true));
    }
}
