using System;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>Asks a server whether it is ready.</summary>
internal static class HealthCheck
{
    /// <summary>Returns if the server is ready.</summary>
    /// <exception cref="LoadException">The server can't be reached, or is not ready.</exception>
    internal static async Task RequireReadyAsync(HttpClient client, Uri server, CancellationToken cancellationToken)
    {
        var address = new Uri(server.GetLeftPart(UriPartial.Path).TrimEnd('/') + "/health/ready");
        try
        {
            using HttpResponseMessage response = await client.GetAsync(address, cancellationToken).ConfigureAwait(false);
            if (response.IsSuccessStatusCode)
                return;
            string body = await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false);
            throw new LoadException($"The server at {server} is not ready: {(int)response.StatusCode} {body}".TrimEnd());
        }
        catch (HttpRequestException e)
        {
            throw new LoadException($"The server at {server} can't be reached: {e.Message} Is it running?", e);
        }
    }
}
