using System;
using System.Net;
using System.Text;
using System.Threading;
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

/// <summary>Selects the reads to log: every n-th, or none.</summary>
/// <param name="oneIn">Logs one read in this many; 0: none.</param>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReadSampler(int oneIn)
{
    private long _count;

    /// <summary>Whether any read is logged.</summary>
    internal bool IsOn => oneIn != 0;

    /// <summary>Counts a read, and decides whether to log it.</summary>
    /// <returns>Whether to log it.</returns>
    internal bool Take() => oneIn == 1 || (oneIn != 0 && Interlocked.Increment(ref _count) % oneIn == 1);
}
