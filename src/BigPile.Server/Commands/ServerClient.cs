using System;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>A running server, as the commands ask it.</summary>
internal static class ServerClient
{
    /// <summary>The address of a path of the server.</summary>
    internal static Uri AddressOf(Uri server, string path) => new(server.GetLeftPart(UriPartial.Path).TrimEnd('/') + path);

    /// <summary>Makes a client that waits as long as it takes.</summary>
    internal static HttpClient Make() => new() { Timeout = Timeout.InfiniteTimeSpan };

    /// <summary>Refuses an answer that is a problem.</summary>
    /// <exception cref="LoadException">It is one.</exception>
    internal static async Task RequireSuccessAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        if (response.IsSuccessStatusCode)
            return;
        string body = await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false);
        throw new LoadException($"The server answered with {(int)response.StatusCode} {response.ReasonPhrase} {body}".TrimEnd());
    }

    /// <summary>Whether an exception's message tells a user of a command all that there is to know.</summary>
    internal static bool IsExplained(Exception exception) =>
        exception is LoadException or Hosting.SettingsException or PileException or HttpRequestException or ArgumentException { ParamName: "options" }
            or System.IO.IOException or System.IO.InvalidDataException or UnauthorizedAccessException
            or TaskCanceledException { InnerException: TimeoutException };

    /// <summary>What an exception says to a user.</summary>
    internal static string Explain(Exception exception) =>
        exception is HttpRequestException { InnerException: { } inner } ? $"{exception.Message} {inner.Message}" : exception.Message;
}
