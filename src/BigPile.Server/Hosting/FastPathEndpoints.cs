using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>Adds the fast path to the endpoints, behind TLS where it is used.</summary>
internal static class FastPathEndpoints
{
    private const string EndpointSection = "Kestrel:Endpoints";

    // The administration port has its own per-endpoint configuration, and an endpoint can have only one.
    private const string AdminEndpoint = "BigPileAdmin";

    /// <summary>Adds the fast path to all current and future endpoints.</summary>
    /// <param name="server">
    /// The server's options. They hold a single action for all endpoints, so it combines this and <paramref name="check"/>.
    /// </param>
    /// <param name="configuration">The configuration with the server's addresses.</param>
    /// <param name="settings">The fast path's settings.</param>
    /// <param name="check">Checks an endpoint before anything is added to it.</param>
    internal static void Configure(
        KestrelServerOptions server, IConfiguration configuration, HttpSettings settings, Action<ListenOptions> check)
    {
        server.ConfigureEndpointDefaults(check);
        if (!settings.FastPath)
            return;
        if (ListenAddresses.UsesEndpoints(configuration))
        {
            foreach (IConfigurationSection endpoint in configuration.GetSection(
                EndpointSection).GetChildren().Where(static endpoint => endpoint.Key != AdminEndpoint))
                server.ConfigurationLoader?.Endpoint(endpoint.Key, named => Add(named, settings));
            return;
        }
        IReadOnlyList<string> addresses = ListenAddresses.Read(configuration);
        int[] securePorts = PortsOf(addresses, isSecure: true);
        // The server does not say which of two endpoints on one port it configures, so those ports get no fast path.
        int[] unknownPorts = [.. securePorts.Intersect(PortsOf(addresses, isSecure: false))];
        server.ConfigureEndpointDefaults(endpoint =>
        {
            check(endpoint);
            if (!IsOneOf(endpoint, unknownPorts))
                Add(endpoint, securePorts, settings);
        });
    }

    private static int[] PortsOf(IReadOnlyList<string> addresses, bool isSecure) =>
    [
        .. addresses.Select(BindingAddress.Parse)
            .Where(address => address.Scheme.Equals("https", StringComparison.OrdinalIgnoreCase) == isSecure)
            .Select(static address => address.Port),
    ];

    private static bool IsOneOf(ListenOptions endpoint, int[] ports) => endpoint.EndPoint is IPEndPoint ip && ports.Contains(ip.Port);

    private static void Add(EndpointConfiguration endpoint, HttpSettings settings)
    {
        // TLS first: the server would add it after the fast path, which would then see encrypted bytes.
        if (endpoint.IsHttps)
            endpoint.ListenOptions.UseHttps(endpoint.HttpsOptions);
        Add(endpoint.ListenOptions, settings);
    }

    private static void Add(ListenOptions endpoint, int[] securePorts, HttpSettings settings)
    {
        if (IsOneOf(endpoint, securePorts))
            endpoint.UseHttps();
        Add(endpoint, settings);
    }

    private static void Add(ListenOptions endpoint, HttpSettings settings) => endpoint.UseBigPileFastReads(options =>
    {
        foreach (string name in settings.IgnoredHeaders)
            options.IgnoredHeaders.Add(name);
    });
}
