using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>Checks each endpoint just before the server binds it, at the start and when its configuration changes at run time.</summary>
internal sealed class ListenGuard(IConfiguration configuration, SecuritySettings security)
{
    /// <summary>Refuses endpoints that other machines reach without a key or without TLS, unless that is allowed.</summary>
    /// <exception cref="SettingsException">This endpoint, or a configured one, is refused.</exception>
    internal void Check(ListenOptions endpoint)
    {
        ListenAddresses.RefuseUnprotected(ListenAddresses.Read(configuration), security);
        if (endpoint.IPEndPoint is { } ip && !IPAddress.IsLoopback(ip.Address))
            ListenAddresses.RefuseWithoutKeys(ip.ToString(), security);
    }
}
