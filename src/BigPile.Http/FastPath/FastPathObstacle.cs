using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;

namespace BigPile.Http.FastPath;

/// <summary>Finds a configuration under which the fast path's answers would differ from the full stack's.</summary>
internal static class FastPathObstacle
{
    /// <summary>Why an endpoint can't have the fast path, or <see langword="null"/>.</summary>
    internal static string? Find(HttpProtocols protocols, IConfiguration? configuration)
    {
        if (configuration?["AllowedHosts"] is { Length: > 0 } hosts && hosts.Trim() != "*")
            return "AllowedHosts is set, and the hosts of requests are checked by the full stack";
        if (!protocols.HasFlag(HttpProtocols.Http1))
            return "the endpoint does not speak HTTP/1.1";
        return protocols.HasFlag(HttpProtocols.Http3) ? "the endpoint announces HTTP/3 in its answers" : null;
    }
}
