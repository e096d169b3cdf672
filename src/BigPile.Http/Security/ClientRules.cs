using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Security;

/// <summary>
/// Which hosts are served, and which origins may make changes, while there are no API keys: protects against requests that a browser is
/// tricked into.
/// </summary>
/// <remarks>
/// DNS rebinding: a site can point its name at this machine, and its pages then count as pages of this server. So without keys only
/// loopback names and addresses are served, and the configured hosts. Cross-site requests: pages of other origins can send changes
/// unnoticed. Browsers state the origin of each request (<c>Sec-Fetch-Site</c>, <c>Origin</c>); other clients send neither header. Thread
/// safety: all members may be called concurrently.
/// </remarks>
/// <param name="hosts">Hosts that are served beside loopback; <c>*</c>: all.</param>
/// <param name="origins">Origins that may make changes beside the server's own; <c>*</c>: all.</param>
internal sealed class ClientRules(IEnumerable<string> hosts, IEnumerable<string> origins)
{
    /// <summary>Matches every host or origin.</summary>
    internal const string Any = "*";

    private const int MaxHostBytes = 255;

    private readonly string[] _hosts = [.. hosts];
    private readonly string[] _origins = [.. origins.Select(static origin => origin.TrimEnd('/'))];

    /// <summary>Whether a host is served.</summary>
    /// <param name="host">The value of the header <c>Host</c>, in ASCII.</param>
    internal bool AllowsHost(ReadOnlySpan<byte> host)
    {
        Span<char> text = stackalloc char[MaxHostBytes];
        return host.Length <= text.Length && Encoding.ASCII.TryGetChars(host, text, out int length) && AllowsHost(text[..length]);
    }

    /// <summary>Whether a host is served.</summary>
    /// <param name="host">The value of the header <c>Host</c>; an empty one comes from no browser.</param>
    internal bool AllowsHost(ReadOnlySpan<char> host)
    {
        ReadOnlySpan<char> name = NameOf(host);
        return name.IsEmpty || IsLoopback(name) || Has(_hosts, name);
    }

    /// <summary>Whether a request may make changes.</summary>
    internal bool AllowsChange(HttpRequest request)
    {
        if (HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method) || HttpMethods.IsOptions(request.Method))
            return true;
        StringValues origin = request.Headers.Origin;
        if (origin.Count == 1 && Has(_origins, origin[0]))
            return true;
        StringValues site = request.Headers["Sec-Fetch-Site"];
        if (site.Count != 0)
            return site.Count == 1 && site[0] is "same-origin" or "none";
        return origin.Count == 0 || (origin.Count == 1 && IsOwn(origin[0], request));
    }

    // A proxy may terminate TLS, so the browser's scheme is known only if TLS ends here; otherwise both schemes are accepted.
    private static bool IsOwn(ReadOnlySpan<char> origin, HttpRequest request)
    {
        int authority = origin.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0 || request.Host.Value is not { Length: > 0 } host)
            return false;
        ReadOnlySpan<char> scheme = origin[..authority];
        bool isWeb = scheme.Equals(Uri.UriSchemeHttps, StringComparison.OrdinalIgnoreCase)
            || (!request.IsHttps && scheme.Equals(Uri.UriSchemeHttp, StringComparison.OrdinalIgnoreCase));
        return isWeb && origin[(authority + 3)..].Equals(host, StringComparison.OrdinalIgnoreCase);
    }

    private static bool Has(string[] list, ReadOnlySpan<char> name)
    {
        foreach (string one in list)
        {
            if (one == Any || name.Equals(one, StringComparison.OrdinalIgnoreCase))
                return true;
        }
        return false;
    }

    private static bool IsLoopback(ReadOnlySpan<char> name)
    {
        if (name.Equals("localhost", StringComparison.OrdinalIgnoreCase) || name.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase))
            return true;
        return IPAddress.TryParse(name, out IPAddress? address) && IPAddress.IsLoopback(address);
    }

    private static ReadOnlySpan<char> NameOf(ReadOnlySpan<char> host)
    {
        if (host.StartsWith('['))
        {
            int end = host.IndexOf(']');
            return end < 0 ? host : host[1..end];
        }
        int colon = host.LastIndexOf(':');
        return (colon < 0 ? host : host[..colon]).TrimEnd('.');
    }
}
