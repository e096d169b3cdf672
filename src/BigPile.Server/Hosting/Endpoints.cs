using System.Collections.Generic;
using System.Globalization;
using System.Threading.Tasks;
using BigPile.AspNetCore.Security;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>Has Kestrel listen on a port for administrators beside the others.</summary>
internal static class Endpoints
{
    // Endpoints are listed in the order of their names, and the first one is the one to show.
    private const string Public = "Api";
    private const string Admin = "BigPileAdmin";

    /// <summary>Names all addresses as endpoints, since Kestrel takes no notice of addresses beside endpoints.</summary>
    internal static void Name(IConfigurationManager configuration, IReadOnlyList<string> addresses, string adminUrl)
    {
        var endpoints = new Dictionary<string, string?> { [UrlOf(Admin)] = adminUrl };
        if (configuration.GetSection("Kestrel:Endpoints").Exists())
        {
            configuration.AddInMemoryCollection(endpoints);
            return;
        }
        for (int i = 0; i < addresses.Count; i++)
            endpoints[UrlOf(Public + i.ToString(CultureInfo.InvariantCulture))] = addresses[i];
        configuration.AddInMemoryCollection(endpoints);
    }

    /// <summary>Marks the connections of the port for administrators.</summary>
    internal static void MarkAdmin(KestrelServerOptions server) =>
        server.ConfigurationLoader!.Endpoint(Admin, static endpoint => endpoint.ListenOptions.Use(static next => connection => MarkAsync(connection, next)));

    private static Task MarkAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        connection.Features.Set(AdminPort.Mark);
        return next(connection);
    }

    private static string UrlOf(string name) => $"Kestrel:Endpoints:{name}:Url";
}
