using System;
using System.Collections.Frozen;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>Keeps a browser that opens an entry from running it as a page of the server, where the console is.</summary>
/// <remarks>
/// Types that a browser only shows, plays or saves go out as they are. All others are put into a sandbox of an origin of its own, and are
/// not to be taken for another type: HTML and XML of every kind, and what nobody knows, such as <c>*/*</c>, of which browsers guess what
/// it may be. Thread safety: all members may be called concurrently.
/// </remarks>
internal static class BrowserGuard
{
    private const string Sandbox = "sandbox";
    private const string NoSniffing = "nosniff";

    /// <summary>The lines for an answer's head, in the order in which the stack sends them.</summary>
    internal const string Lines = $"Content-Security-Policy: {Sandbox}\r\nX-Content-Type-Options: {NoSniffing}\r\n";

    private static readonly FrozenSet<string> InertTypes = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        MediaTypes.Json, MediaTypes.Default, "text/plain", "text/css", "text/csv", "text/javascript", "text/markdown",
        "application/msgpack", "application/vnd.msgpack", "application/x-msgpack", "application/cbor", "application/x-protobuf",
        "application/x-ndjson", "application/x-www-form-urlencoded", "application/zip", "application/gzip", "application/wasm",
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif");

    private static readonly FrozenSet<string>.AlternateLookup<ReadOnlySpan<char>> Inert =
        InertTypes.GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>Whether a browser might run what has a content type.</summary>
    internal static bool Needs(ReadOnlySpan<char> contentType)
    {
        int end = contentType.IndexOf(';');
        return !Inert.Contains((end < 0 ? contentType : contentType[..end]).Trim(" \t"));
    }

    /// <summary>Sets the headers, if the content type needs them.</summary>
    internal static void Protect(IHeaderDictionary headers, string contentType)
    {
        if (!Needs(contentType))
            return;
        headers.ContentSecurityPolicy = Sandbox;
        headers.XContentTypeOptions = NoSniffing;
    }
}
