using System;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Text;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Writes the lines of the request log, the same for the fast path and the full stack.</summary>
internal static class RequestLine
{
    private const string Nobody = "nobody known";
    private const string Hidden = "*";

    internal static void Write(
        ILogger<RequestLog> logger, LogLevel level, string method, string target, in RequestFrom from, int status, TimeSpan elapsed)
    {
        if (from.Key == null)
        {
            logger.Log(
                level, "{Method} {Target} from {Client} answered {Status} in {Milliseconds:F2} ms",
                method, Redact(target), from.Client, status, elapsed.TotalMilliseconds);
            return;
        }
        logger.Log(
            level, "{Method} {Target} from {Client} by {Key} answered {Status} in {Milliseconds:F2} ms",
            method, Redact(target), from.Client, from.Key, status, elapsed.TotalMilliseconds);
    }

    // Keeps only the names of query parameters: a client may put a secret in a value by mistake.
    private static string Redact(string target)
    {
        int query = target.IndexOf('?', StringComparison.Ordinal);
        return query < 0 ? LogText.Of(target) : LogText.Of($"{target[..query]}?{string.Join('&', target[(query + 1)..].Split('&').Select(
            static part => part.IndexOf('=', StringComparison.Ordinal) is >= 0 and int end ? $"{part[..end]}={Hidden}" : Hidden))}");
    }

    /// <summary>Writes the line of a request whose client disconnected before the response.</summary>
    internal static void WriteLeft(
        ILogger<RequestLog> logger, LogLevel level, string method, string target, in RequestFrom from, TimeSpan elapsed) => logger.Log(
            level, "{Method} {Target} from {Client} was left by its client after {Milliseconds:F2} ms",
            method, Redact(target), from.Client, elapsed.TotalMilliseconds);

    /// <summary>Writes the line of a request that was refused because of its key or a missing key.</summary>
    internal static void WriteRefused(
        ILogger<RequestLog> logger, string method, string target, in RequestFrom from, int status, string why, long unlogged)
    {
        if (unlogged == 0)
        {
            logger.LogWarning(
                "{Method} {Target} from {Client} by {Key} was refused with {Status}: {Reason}",
                method, Redact(target), from.Client, from.Key ?? Nobody, status, why);
            return;
        }
        logger.LogWarning(
            "{Method} {Target} from {Client} by {Key} was refused with {Status}: {Reason} {Unlogged:N0} others had no line",
            method, Redact(target), from.Client, from.Key ?? Nobody, status, why, unlogged);
    }
}

/// <summary>The origin of a request for the log.</summary>
/// <param name="Client">The address of the connection's peer; behind a proxy the proxy's.</param>
/// <param name="Key">The name of the key; <see langword="null"/>: none.</param>
internal readonly record struct RequestFrom(string Client, string? Key)
{
    internal RequestFrom(IPAddress? address, string? key)
        : this((address is { IsIPv4MappedToIPv6: true } ? address.MapToIPv4() : address)?.ToString() ?? "-", key)
    {
    }
}

/// <summary>
/// Escapes clients' text for the log, so that it can't move a terminal's cursor, ring its bell or begin a new line (log injection).
/// </summary>
internal static class LogText
{
    /// <summary>A text with <c>\xHH</c> or <c>\uHHHH</c> for each character that is not printable ASCII.</summary>
    internal static string Of(string text) => text.AsSpan().ContainsAnyExceptInRange(' ', '~') ? Escape(text) : text;

    private static string Escape(string text)
    {
        var escaped = new StringBuilder(text.Length + 16);
        foreach (char one in text)
        {
            if (one is >= ' ' and <= '~')
                escaped.Append(one);
            else
                escaped.Append(
                    one <= 0xFF ? "\\x" : "\\u").Append(((int)one).ToString(one <= 0xFF ? "X2" : "X4", CultureInfo.InvariantCulture));
        }
        return escaped.ToString();
    }
}
