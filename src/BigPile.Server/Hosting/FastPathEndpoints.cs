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

/// <summary>Puts the fast door on the endpoints, behind TLS where there is any.</summary>
internal static class FastPathEndpoints
{
    private const string EndpointSection = "Kestrel:Endpoints";

    // The port for administrators is marked as such by a configuration of its own, of which an endpoint has only one.
    private const string AdminEndpoint = "BigPileAdmin";

    /// <summary>Puts it on all endpoints that there are or will be.</summary>
    /// <param name="server">
    /// The server's options, which have one action for all endpoints: what is done here and <paramref name="check"/>.
    /// </param>
    /// <param name="configuration">What says where the server listens.</param>
    /// <param name="settings">The settings of the door.</param>
    /// <param name="check">Looks at an endpoint before anything is put on it.</param>
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
        // Which of two endpoints it has before it the server does not say.
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
        // The server would add TLS behind what is added here, and the door would see what it can't read.
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
