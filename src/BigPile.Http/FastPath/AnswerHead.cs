using System;
using System.Text;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Protocol;

namespace BigPile.Http.FastPath;

/// <summary>Writes the response heads of the fast path, line for line as the full stack would send them.</summary>
internal static class AnswerHead
{
    /// <summary>The maximum length of a head, in bytes.</summary>
    internal const int MaxBytes = 512;

    /// <summary>The response to a request head that timed out, as Kestrel sends it.</summary>
    internal const string Timeout = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n";

    private static readonly byte[]?[] TypeLines = MakeTypeLines();

    /// <summary>
    /// The Content-Type line of a stored type code, with the browser-protection lines if the type needs them; empty for an unknown code.
    /// </summary>
    internal static ReadOnlySpan<byte> TypeLine(int code) => TypeLines[code];

    /// <summary>Writes the head of 200.</summary>
    internal static void WriteOk(
        ref HeadWriter writer, in EntryInfo info, in StoredHead stored, long ageTicks, TimeSpan? publicMaxAge, ReadOnlySpan<byte> date,
        ReadOnlySpan<byte> closing)
    {
        writer.Add("HTTP/1.1 200 OK\r\nContent-Length: "u8);
        writer.Add(info.ValueBytes - stored.HeadBytes);
        writer.Add("\r\n"u8);
        writer.Add(TypeLine(stored.TypeCode));
        Answer.DescribePayload(ref writer, info, stored.Coding, isDecoded: false, ageTicks, publicMaxAge);
        writer.Add(date);
        writer.Add(closing);
    }

    /// <summary>Writes the head of 304; such a response has no body.</summary>
    internal static void WriteNotModified(
        ref HeadWriter writer, in EntryInfo info, in StoredHead stored, long ageTicks, TimeSpan? publicMaxAge, ReadOnlySpan<byte> date,
        ReadOnlySpan<byte> closing)
    {
        writer.Add("HTTP/1.1 304 Not Modified\r\n"u8);
        Answer.DescribeKnown(ref writer, info, stored.Coding, isDecoded: false, ageTicks, publicMaxAge);
        writer.Add(date);
        writer.Add(closing);
    }

    /// <summary>Writes the head of 404.</summary>
    internal static void WriteNotFound(ref HeadWriter writer, ReadOnlySpan<byte> date, ReadOnlySpan<byte> closing)
    {
        writer.Add(NotFound.Start);
        writer.Add(date);
        writer.Add(closing);
    }

    private static byte[]?[] MakeTypeLines()
    {
        var lines = new byte[]?[StoredHead.MaxTypeCode + 1];
        for (int code = 1; code < lines.Length; code++)
        {
            if (MediaTypes.Find((byte)code) is { } type)
                lines[code] = Encoding.ASCII.GetBytes($"Content-Type: {type}\r\n{(BrowserGuard.Needs(type) ? BrowserGuard.Lines : "")}");
        }
        return lines;
    }

    // Initialized lazily: building the JSON document takes time, and a client whose entries exist never needs it.
    private static class NotFound
    {
        internal static readonly byte[] Start = Encoding.ASCII.GetBytes(
            $"HTTP/1.1 404 Not Found\r\nContent-Length: {PrebuiltProblem.EntryNotFound.Body.Length}\r\nContent-Type: "
            + $"{ProblemResponse.ContentType}\r\nCache-Control: {ProblemResponse.CacheControl}\r\n");
    }
}
