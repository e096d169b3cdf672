using System;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Hash;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>A running server, as the commands ask it.</summary>
internal static class ServerClient
{
    /// <summary>The address of a path of the server.</summary>
    internal static Uri AddressOf(Uri server, string path) => new(server.GetLeftPart(UriPartial.Path).TrimEnd('/') + path);

    /// <summary>Makes a client that waits as long as it takes.</summary>
    /// <param name="key">The key to show with each request, or <see langword="null"/>.</param>
    internal static HttpClient Make(string? key)
    {
        var client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
        if (key != null)
            client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key);
        return client;
    }

    /// <summary>Refuses an answer that is a problem.</summary>
    /// <exception cref="LoadException">It is one.</exception>
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

    /// <summary>Whether an exception's message tells a user of a command all that there is to know.</summary>
    internal static bool IsExplained(Exception exception) =>
        exception is LoadException or Hosting.SettingsException or PileException or HashDatabaseException or HttpRequestException
            or ArgumentException { ParamName: "options" }
            or System.IO.IOException or System.IO.InvalidDataException or UnauthorizedAccessException
            or TaskCanceledException { InnerException: TimeoutException };

    /// <summary>What an exception says to a user.</summary>
    internal static string Explain(Exception exception) =>
        exception is HttpRequestException { InnerException: { } inner } ? $"{exception.Message} {inner.Message}" : exception.Message;
}
