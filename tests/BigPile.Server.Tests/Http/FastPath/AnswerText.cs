using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Normalizes responses, so that those of two servers can be compared.</summary>
internal static class AnswerText
{
    /// <summary>
    /// Statuses, headers in the order of their names and without the date's value, and bodies. Tags are numbered as they come, since two
    /// piles never give the same versions.
    /// </summary>
    internal static string Normalize(byte[] received)
    {
        string rest = Encoding.Latin1.GetString(received);
        var tags = new Dictionary<string, string>(StringComparer.Ordinal);
        var text = new StringBuilder();
        while (rest.Length != 0)
        {
            int end = rest.IndexOf("\r\n\r\n", StringComparison.Ordinal);
            if (end < 0)
                return text.Append("CUT OFF: ").Append(rest).ToString();
            string[] lines = rest[..end].Split("\r\n");
            rest = rest[(end + 4)..];
            text.Append(lines[0]).Append('\n');
            foreach (string line in lines[1..].Select(line => Mask(line, tags)).Order(StringComparer.Ordinal))
                text.Append(line).Append('\n');
            text.Append('[').Append(Shorten(MaskTrace(TakeBody(lines, ref rest)))).Append("]\n");
        }
        return text.ToString();
    }

    internal static int Count(byte[] received) => Encoding.Latin1.GetString(received).Split("HTTP/1.1 ").Length - 1;

    private static string Mask(string line, Dictionary<string, string> tags)
    {
        if (line.StartsWith("Date: ", StringComparison.Ordinal) && DateTimeOffset.TryParse(line[6..], out _))
            return "Date";
        if (!line.StartsWith("ETag: ", StringComparison.Ordinal))
            return line;
        if (!tags.TryGetValue(line, out string? known))
            tags[line] = known = "ETag " + tags.Count;
        return known;
    }

    // Each request has its own id, always of the same length.
    private static string MaskTrace(string body)
    {
        const string Member = "\"traceId\":\"";
        int start = body.IndexOf(Member, StringComparison.Ordinal) + Member.Length;
        return start < Member.Length ? body : body[..start] + body[body.IndexOf('"', start)..];
    }

    private static string Shorten(string body) =>
        body.Length <= 200 ? body : $"{body.Length} characters, {Convert.ToHexString(SHA256.HashData(Encoding.Latin1.GetBytes(body)))}";

    // The answer to HEAD has a length and no body; what follows it is the next answer, or nothing.
    private static string TakeBody(string[] lines, ref string rest)
    {
        if (rest.Length == 0 || rest.StartsWith("HTTP/1.1 ", StringComparison.Ordinal))
            return "";
        if (lines.Contains("Transfer-Encoding: chunked"))
            return JoinChunks(ref rest);
        string? length = lines.FirstOrDefault(static line => line.StartsWith("Content-Length: ", StringComparison.Ordinal));
        int lengthBytes = length == null ? rest.Length : Math.Min(rest.Length, int.Parse(length["Content-Length: ".Length..]));
        string body = rest[..lengthBytes];
        rest = rest[lengthBytes..];
        return body;
    }

    // Chunk boundaries depend on the server's memory blocks.
    private static string JoinChunks(ref string rest)
    {
        var body = new StringBuilder();
        while (true)
        {
            int line = rest.IndexOf("\r\n", StringComparison.Ordinal);
            if (line < 0)
                return body.Append("CUT OFF").ToString();
            int lengthBytes = Math.Min(Convert.ToInt32(rest[..line], 16), Math.Max(0, rest.Length - line - 4));
            body.Append(rest.AsSpan(line + 2, lengthBytes));
            bool isLast = rest[..line] == "0";
            rest = rest[(line + 2 + lengthBytes + 2)..];
            if (isLast)
                return body.ToString();
        }
    }
}
