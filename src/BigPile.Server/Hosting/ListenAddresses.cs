using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The addresses on which the server is configured to listen.</summary>
internal static class ListenAddresses
{
    /// <summary>Where the server listens when nothing is configured.</summary>
    internal const string Default = "http://127.0.0.1:5080";

    private const string EndpointSection = "Kestrel:Endpoints";

    private const string PreferenceName = "preferHostingUrls";

    /// <summary>The effective configured addresses, from any source; empty if none.</summary>
    internal static IReadOnlyList<string> Read(IConfiguration configuration) => UsesEndpoints(configuration)
        ? [.. configuration.GetSection(EndpointSection).GetChildren().Select(static endpoint => endpoint["Url"]).OfType<string>()]
        : ReadUrls(configuration);

    /// <summary>Whether the server listens on the endpoints of the section <c>Kestrel</c>, by Kestrel's own rule.</summary>
    internal static bool UsesEndpoints(IConfiguration configuration)
    {
        bool prefersUrls = configuration[PreferenceName] is { } word
            && (word == "1" || word.Equals("true", StringComparison.OrdinalIgnoreCase));
        return configuration.GetSection(EndpointSection).Exists() && !(prefersUrls && ReadUrls(configuration).Count != 0);
    }

    private static IReadOnlyList<string> ReadUrls(IConfiguration configuration)
    {
        string[] urls = Split(configuration["urls"]);
        if (urls.Length != 0)
            return urls;
        return
        [
            .. Split(configuration["http_ports"]).Select(static port => $"http://*:{port}"),
            .. Split(configuration["https_ports"]).Select(static port => $"https://*:{port}"),
        ];
    }

    /// <summary>Sets the addresses to listen on, and the administrators' address if there is one.</summary>
    /// <exception cref="SettingsException">The administrators' address has no port of its own.</exception>
    internal static void Set(IConfigurationBuilder configuration, IReadOnlyList<string> addresses, SecuritySettings security)
    {
        var settings = new Dictionary<string, string?>();
        bool hasEndpoints = UsesEndpoints((IConfiguration)configuration);
        if (security.AdminUrl is { } adminUrl)
        {
            int port = PortOf(adminUrl);
            if (port == 0 || addresses.Any(address => PortOf(address) == port))
                throw SettingsException.Of(
                    "Security:AdminUrl", adminUrl, "be an address with a port of its own, such as http://127.0.0.1:5081");
            if (hasEndpoints)
                settings[$"{EndpointSection}:BigPileAdmin:Url"] = adminUrl;
            addresses = [.. addresses, adminUrl];
        }
        if (!hasEndpoints)
            settings["urls"] = string.Join(';', addresses);
        settings[PreferenceName] = hasEndpoints ? "false" : "true"; // listen only on what was checked
        configuration.AddInMemoryCollection(settings);
    }

    /// <summary>The port of an address; 0 for any free port, or a Unix socket or named pipe.</summary>
    /// <exception cref="SettingsException">It is no address.</exception>
    internal static int PortOf(string address)
    {
        BindingAddress parsed = Parse(address);
        return parsed.IsUnixPipe || parsed.IsNamedPipe ? 0 : parsed.Port;
    }

    /// <summary>Refuses addresses that other machines reach without a key or without TLS, unless that is allowed.</summary>
    /// <exception cref="SettingsException">There is such an address, or an invalid one.</exception>
    internal static void RefuseUnprotected(IEnumerable<string> addresses, SecuritySettings security)
    {
        foreach (string address in addresses)
        {
            if (IsLocal(address))
                continue;
            RefuseWithoutKeys(address, security);
            if (!IsEncrypted(address) && !security.AllowWithoutTls)
            {
                throw new SettingsException(
                    $"The server would listen on {address}, where other machines reach it, and keys and payloads could be read on the way. "
                    + "Listen on an https address with Tls:CertificatePath, listen on 127.0.0.1, or set Security:AllowWithoutTls=true if "
                    + "the network "
                    + "is closed or something in front encrypts.");
            }
        }
    }

    /// <summary>Refuses an address that other machines reach if no keys are configured, unless that is allowed.</summary>
    /// <exception cref="SettingsException">There are no keys.</exception>
    internal static void RefuseWithoutKeys(string address, SecuritySettings security)
    {
        if (security.Keys.Count == 0 && !security.AllowWithoutKeys)
        {
            throw new SettingsException(
                $"The server would listen on {address}, where other machines reach it, and everyone there could read and change all "
                + "tables. "
                + "Set Security:Keys (the verb 'key' makes one), listen on 127.0.0.1, or set Security:AllowWithoutKeys=true if the "
                + "network is closed.");
        }
    }

    /// <summary>The URL at which a program on the same machine reaches a server that listens on an address.</summary>
    /// <exception cref="SettingsException">It is no address.</exception>
    internal static Uri LocalOf(string address)
    {
        BindingAddress parsed = Parse(address);
        if (parsed.IsUnixPipe || parsed.IsNamedPipe)
            throw new SettingsException($"The server listens on {address}, which has no URL; say with --url where else it listens.");
        bool isAny = !IPAddress.TryParse(parsed.Host.Trim('[', ']'), out IPAddress? ip) || ip.Equals(IPAddress.Any)
            || ip.Equals(IPAddress.IPv6Any);
        return new UriBuilder(parsed.Scheme, isAny ? IPAddress.Loopback.ToString() : parsed.Host, parsed.Port).Uri;
    }

    private static bool IsEncrypted(string address) => Parse(address).Scheme.Equals("https", StringComparison.OrdinalIgnoreCase);

    private static bool IsLocal(string address)
    {
        BindingAddress parsed = Parse(address);
        if (parsed.IsUnixPipe || parsed.IsNamedPipe || parsed.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
            return true;
        // Any other name binds to all interfaces.
        return IPAddress.TryParse(parsed.Host.Trim('[', ']'), out IPAddress? ip) && IPAddress.IsLoopback(ip);
    }

    private static BindingAddress Parse(string address)
    {
        try
        {
            BindingAddress parsed = BindingAddress.Parse(address);
            CheckParts(address, parsed);
            return parsed;
        }
        catch (FormatException)
        {
            throw new SettingsException($"'{address}' is no address to listen on; one looks like {Default}.");
        }
    }

    private static void CheckParts(string address, BindingAddress parsed)
    {
        if (!parsed.Scheme.Equals("http", StringComparison.OrdinalIgnoreCase)
            && !parsed.Scheme.Equals("https", StringComparison.OrdinalIgnoreCase))
            throw new SettingsException(
                $"'{address}' is no address to listen on: its scheme is neither http nor https. One looks like {Default}.");
        if (parsed.IsUnixPipe || parsed.IsNamedPipe)
            return;
        if (parsed.Port is < IPEndPoint.MinPort or > IPEndPoint.MaxPort)
            throw new SettingsException(
                $"'{address}' is no address to listen on: a port is from 1 to {IPEndPoint.MaxPort}, or 0 for any that is free.");
        if (parsed.PathBase.Length != 0)
            throw new SettingsException(
                $"'{address}' is no address to listen on: it has the path '{parsed.PathBase}'. Leave the path out.");
    }

    /// <summary>Refuses an address that is given twice.</summary>
    /// <exception cref="SettingsException">There is one.</exception>
    internal static void RefuseTwice(IReadOnlyList<string> addresses)
    {
        var seen = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (string address in addresses)
        {
            BindingAddress parsed = Parse(address);
            if (parsed.Port != 0 && !seen.Add($"{parsed.Host}:{parsed.Port}"))
                throw new SettingsException(
                    $"The address '{address}' is given twice, or its port is taken by another one. Give each a port of its own.");
        }
    }

    private static string[] Split(string? list) =>
        (list ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
}
