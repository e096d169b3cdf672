using System;
using System.Text;
using System.Text.Json.Serialization;

namespace BigPile.Http.Protocol;

/// <summary>A problem document (RFC 9457). Clients distinguish problems by code; the other members are for people.</summary>
/// <param name="Status">The response's status code.</param>
/// <param name="Code">The stable code.</param>
/// <param name="Title">The meaning of the code, the same for all problems of the code.</param>
/// <param name="Detail">What happened in this request.</param>
internal sealed record Problem(int Status, string Code, string Title, string? Detail = null)
{
    private const int MaxKeyBytes = 100;
    private const int MaxDetailLength = 500;

    /// <summary>What happened in this request, truncated if long.</summary>
    public string? Detail { get; init => field = Shorten(value); } = Shorten(Detail);

    /// <summary>The problem's type.</summary>
    [JsonPropertyOrder(-1)]
    public string Type => "urn:bigpile:error:" + Code;

    /// <summary>The table that the request named.</summary>
    public string? Table { get; init; }

    /// <summary>The key that the request named, truncated if long.</summary>
    public string? Key { get; init; }

    /// <summary>The limit that the request exceeded.</summary>
    public long? Limit { get; init; }

    /// <summary>The value in the request that exceeds the limit, if known.</summary>
    public long? Actual { get; init; }

    /// <summary>Milliseconds after which a retry may succeed.</summary>
    public long? RetryAfterMs { get; init; }

    /// <summary>The request's id in logs and traces.</summary>
    public string? TraceId { get; init; }

    /// <summary>This problem with the table and key of a request.</summary>
    internal Problem Of(string table, ReadOnlySpan<byte> key) => this with { Table = table, Key = Shorten(key) };

    private static string? Shorten(string? detail) => detail == null ? null : ShortText.Of(detail, MaxDetailLength);

    private static string Shorten(ReadOnlySpan<byte> key)
    {
        if (key.Length <= MaxKeyBytes)
            return Encoding.UTF8.GetString(key);
        int cut = MaxKeyBytes;
        while ((key[cut] & 0xC0) == 0x80) // not inside a character
            cut--;
        return Encoding.UTF8.GetString(key[..cut]) + "…";
    }
}
