using System.Net;

namespace BigPile.Server.Hosting;

/// <summary>The origin of a request for the log.</summary>
/// <param name="Client">The address of the connection's peer; behind a proxy the proxy's.</param>
/// <param name="Key">The name of the key; <see langword="null"/>: none.</param>
internal readonly record struct RequestFrom(string Client, string? Key)
{
    internal RequestFrom(IPAddress? address, string? key)
        : this((address is { IsIPv4MappedToIPv6: true } ? address.MapToIPv4() : address)?.ToString() ?? "-", key)
    {
    }
}
