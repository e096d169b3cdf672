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
internal static class FastReads
{
    private const string EndpointSection = "Kestrel:Endpoints";

    internal static void Configure(KestrelServerOptions server, IConfiguration configuration, IReadOnlyList<string> addresses, HttpSettings settings)
    {
        IConfigurationSection endpoints = configuration.GetSection(EndpointSection);
        if (endpoints.Exists())
        {
            foreach (IConfigurationSection endpoint in endpoints.GetChildren())
                server.ConfigurationLoader?.Endpoint(endpoint.Key, named => Add(named, settings));
            return;
        }
        int[] securePorts = [.. addresses.Select(BindingAddress.Parse).Where(static address => address.Scheme == "https").Select(static address => address.Port)];
        server.ConfigureEndpointDefaults(endpoint => Add(endpoint, securePorts, settings));
    }

    private static void Add(EndpointConfiguration endpoint, HttpSettings settings)
    {
        // The server would add TLS behind what is added here, and the door would see what it can't read.
        if (endpoint.IsHttps)
            endpoint.ListenOptions.UseHttps(endpoint.HttpsOptions);
        Add(endpoint.ListenOptions, settings);
    }

    private static void Add(ListenOptions endpoint, int[] securePorts, HttpSettings settings)
    {
        if (endpoint.EndPoint is IPEndPoint ip && securePorts.Contains(ip.Port))
            endpoint.UseHttps();
        Add(endpoint, settings);
    }

    private static void Add(ListenOptions endpoint, HttpSettings settings) => endpoint.UseBigPileFastReads(options =>
    {
        foreach (string name in settings.IgnoredHeaders)
            options.IgnoredHeaders.Add(name);
    });
}
