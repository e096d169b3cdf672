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

    /// <summary>Refuses addresses that other machines reach.</summary>
    /// <exception cref="SettingsException">There is one, or something is no address.</exception>
    internal static void RefuseForeign(IEnumerable<string> addresses)
    {
        foreach (string address in addresses)
        {
            if (!IsLocal(address))
            {
                throw new SettingsException(
                    $"The server would listen on {address}, where other machines reach it, and everyone there could read and change all tables. "
                    + "Listen on 127.0.0.1, or set Server:AllowInsecure=true if the network is closed.");
            }
        }
    }

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
