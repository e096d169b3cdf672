using System.Net;

namespace BigPile.Server.Hosting;

/// <summary>Whom a request is from, as the log says it.</summary>
/// <param name="Client">The address of whoever opened the connection; a proxy's, where there is one.</param>
/// <param name="Key">The name of the key; <see langword="null"/>: there is none.</param>
internal readonly record struct RequestFrom(string Client, string? Key)
{
    internal RequestFrom(IPAddress? address, string? key)
        : this((address is { IsIPv4MappedToIPv6: true } ? address.MapToIPv4() : address)?.ToString() ?? "-", key)
    {
    }
}
