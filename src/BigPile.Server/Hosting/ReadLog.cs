using System;
using System.Net;
using System.Text;
using BigPile.Http.FastPath;
using BigPile.Http.Security;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Logs reads of the fast path with the same lines, category and sampling as <see cref="RequestLog"/>.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReadLog(ReadSampler sampler, ILogger<RequestLog> logger) : IReadLog
{
    /// <inheritdoc/>
    public bool IsOn => sampler.IsOn && logger.IsEnabled(LogLevel.Information);

    /// <inheritdoc/>
    public bool CountRead() => sampler.Take();

    /// <inheritdoc/>
    public void Write(
        string method, ReadOnlySpan<char> table, ReadOnlySpan<byte> key, EndPoint? client, ReadOnlySpan<byte> authorization, int status,
        TimeSpan elapsed) => RequestLine.Write(
            logger, LogLevel.Information, method, TargetOf(table, key),
            new RequestFrom((client as IPEndPoint)?.Address, CredentialText.NameOf(authorization)), status, elapsed);

    // The fast path accepts targets in one form only, so this is what came over the wire.
    private static string TargetOf(ReadOnlySpan<char> table, ReadOnlySpan<byte> key) =>
        $"/v1/tables/{table}/entries/{Encoding.ASCII.GetString(key)}";
}
