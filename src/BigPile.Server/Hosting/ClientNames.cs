using System;
using System.Net;
using System.Net.Sockets;
using BigPile.Http.Security;

namespace BigPile.Server.Hosting;

/// <summary>
/// Normalizes configured hosts and origins to the form that browsers send. Refuses names that no browser would send, since they could never
/// match.
/// </summary>
internal static class ClientNames
{
    private const string NullOrigin = "null";

    /// <summary>Normalizes a host for comparison.</summary>
    /// <exception cref="SettingsException">It is none.</exception>
    internal static string HostOf(string text)
    {
        if (text == ClientRules.Any)
            return text;
        if (IPAddress.TryParse(text, out IPAddress? address) && address.AddressFamily == AddressFamily.InterNetworkV6
            && !text.StartsWith('['))
            return address.ToString();
        string name = text.TrimEnd('.');
        return IsHost(name)
            ? name
            : throw new SettingsException(
                $"The setting 'Security:Hosts' has '{text}', which is no name or address of a host. One looks like cache.internal or "
                + "10.1.2.3, without scheme and port; * is any.");
    }

    /// <summary>Normalizes an origin for comparison.</summary>
    /// <exception cref="SettingsException">It is none.</exception>
    internal static string OriginOf(string text)
    {
        string origin = text.TrimEnd('/');
        bool isOne = origin is ClientRules.Any or NullOrigin
            || (Uri.TryCreate(origin, UriKind.Absolute, out Uri? parsed) && parsed.Host.Length != 0
            && (parsed.HostNameType == UriHostNameType.IPv6 || IsHost(parsed.Host))
                && string.Equals($"{parsed.Scheme}://{parsed.Authority}", origin, StringComparison.OrdinalIgnoreCase));
        return isOne
            ? origin
            : throw new SettingsException(
                $"The setting 'Security:Origins' has '{text}', which is no origin. One looks like https://page.example or "
                + "http://10.1.2.3:8080, without a path and its scheme's own port; * is any.");
    }

    private static bool IsHost(string name)
    {
        foreach (char character in name)
        {
            if (!char.IsAsciiLetterOrDigit(character) && character is not ('.' or '-' or '_'))
                return false;
        }
        return name.Length != 0;
    }
}
