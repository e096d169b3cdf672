using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>Where the configuration tells the server to listen.</summary>
internal static class ListenAddresses
{
    /// <summary>Where the server listens when nothing is configured.</summary>
    internal const string Default = "http://127.0.0.1:5080";

    /// <summary>The configured addresses, wherever they are set; empty when there are none.</summary>
    internal static IReadOnlyList<string> Read(IConfiguration configuration)
    {
        string[] endpoints =
        [
            .. configuration.GetSection("Kestrel:Endpoints").GetChildren().Select(static endpoint => endpoint["Url"]).OfType<string>(),
        ];
        if (endpoints.Length != 0)
            return endpoints;
        string[] urls = Split(configuration["urls"]);
        if (urls.Length != 0)
            return urls;
        return
        [
            .. Split(configuration["http_ports"]).Select(static port => $"http://*:{port}"),
            .. Split(configuration["https_ports"]).Select(static port => $"https://*:{port}"),
        ];
    }

    /// <summary>Refuses addresses that other machines reach without a key or without TLS, unless that is allowed.</summary>
    /// <exception cref="SettingsException">There is one, or something is no address.</exception>
    internal static void RefuseForeign(IEnumerable<string> addresses, SecuritySettings security)
    {
        foreach (string address in addresses)
        {
            if (IsLocal(address))
                continue;
            if (security.Keys.Count == 0 && !security.AllowWithoutKeys)
            {
                throw new SettingsException(
                    $"The server would listen on {address}, where other machines reach it, and everyone there could read and change all tables. "
                    + "Set Security:Keys (the verb 'key' makes one), listen on 127.0.0.1, or set Security:AllowWithoutKeys=true if the network is closed.");
            }
            if (!IsEncrypted(address) && !security.AllowWithoutTls)
            {
                throw new SettingsException(
                    $"The server would listen on {address}, where other machines reach it, and keys and payloads could be read on the way. "
                    + "Listen on an https address with Tls:CertificatePath, listen on 127.0.0.1, or set Security:AllowWithoutTls=true if the network "
                    + "is closed or something in front encrypts.");
            }
        }
    }

    /// <summary>Where a program on the same machine reaches a server that listens on an address.</summary>
    /// <exception cref="SettingsException">It is no address.</exception>
    internal static Uri LocalOf(string address)
    {
        BindingAddress parsed = Parse(address);
        if (parsed.IsUnixPipe || parsed.IsNamedPipe)
            throw new SettingsException($"The server listens on {address}, which has no URL; say with --url where else it listens.");
        bool isAny = !IPAddress.TryParse(parsed.Host.Trim('[', ']'), out IPAddress? ip) || ip.Equals(IPAddress.Any) || ip.Equals(IPAddress.IPv6Any);
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
            return BindingAddress.Parse(address);
        }
        catch (FormatException)
        {
            throw new SettingsException($"'{address}' is no address to listen on; one looks like {Default}.");
        }
    }

    private static string[] Split(string? list) =>
        (list ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
}
