using System;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>The lines of the request log, which are the same whichever way a request was served.</summary>
internal static class RequestLine
{
    internal static void Write(ILogger<RequestLog> logger, LogLevel level, string method, string target, int status, TimeSpan elapsed) =>
        logger.Log(
            level, "{Method} {Target} answered {Status} in {Milliseconds:F2} ms", method, LogText.Of(target), status,
            elapsed.TotalMilliseconds);

    /// <summary>Writes the line of a request whose client went before it had the answer.</summary>
    internal static void WriteLeft(ILogger<RequestLog> logger, LogLevel level, string method, string target, TimeSpan elapsed) =>
        logger.Log(
            level, "{Method} {Target} was left by its client after {Milliseconds:F2} ms", method, LogText.Of(target),
            elapsed.TotalMilliseconds);

    /// <summary>Writes the line of a request whose key is named in the log.</summary>
    internal static void Write(
        ILogger<RequestLog> logger, LogLevel level, string method, string target, object? key, int status, TimeSpan elapsed) =>
        logger.Log(
            level, "{Method} {Target} by {Key} answered {Status} in {Milliseconds:F2} ms",
            method, LogText.Of(target), key, status, elapsed.TotalMilliseconds);
}
