using System;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Hash;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>HTTP calls of the commands to a running server.</summary>
internal static class ServerClient
{
    internal static Uri AddressOf(Uri server, string path) => new(server.GetLeftPart(UriPartial.Path).TrimEnd('/') + path);

    /// <summary>Creates a client without a timeout.</summary>
    /// <param name="key">The API key to send with each request, or <see langword="null"/>.</param>
    internal static HttpClient Make(string? key)
    {
        var client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
        if (key != null)
            client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key);
        return client;
    }

    /// <summary>Throws if the response is an error.</summary>
    /// <exception cref="LoadException">The response is an error.</exception>
    internal static async Task RequireSuccessAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        if (response.IsSuccessStatusCode)
            return;
        string body = await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false);
        string hint = response.StatusCode is HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden
            ? " Give a key that may do this, with --key-file or BIGPILE_KEY."
            : "";
        throw new LoadException($"The server answered with {(int)response.StatusCode} {response.ReasonPhrase} {body}".TrimEnd() + hint);
    }

    /// <summary>Whether an exception's message is all that a user of a command needs.</summary>
    internal static bool IsExplained(Exception exception) =>
        exception is LoadException or Hosting.SettingsException or PileException or HashDatabaseException or HttpRequestException
            or ArgumentException { ParamName: "options" }
            or System.IO.IOException or System.IO.InvalidDataException or UnauthorizedAccessException
            or TaskCanceledException { InnerException: TimeoutException };

    /// <summary>The message for the user.</summary>
    internal static string Explain(Exception exception) =>
        exception is HttpRequestException { InnerException: { } inner } ? $"{exception.Message} {inner.Message}" : exception.Message;
}
