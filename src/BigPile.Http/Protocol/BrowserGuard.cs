using System;
using System.Collections.Frozen;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>Keeps a browser from running an entry as a page of this server's origin, where the console lives.</summary>
/// <remarks>
/// Types that a browser only displays, plays or saves are sent as they are. All others are sandboxed into an opaque origin, and marked
/// against MIME sniffing: HTML and XML of every kind, and unknown types such as <c>*/*</c>, which browsers sniff. Thread safety: all
/// members may be called concurrently.
/// </remarks>
internal static class BrowserGuard
{
    private const string Sandbox = "sandbox";
    private const string NoSniffing = "nosniff";

    /// <summary>The header lines, in the order in which the full stack sends them.</summary>
    internal const string Lines = $"Content-Security-Policy: {Sandbox}\r\nX-Content-Type-Options: {NoSniffing}\r\n";

    private static readonly FrozenSet<string> InertTypes = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        MediaTypes.Json, MediaTypes.Default, "text/plain", "text/css", "text/csv", "text/javascript", "text/markdown",
        "application/msgpack", "application/vnd.msgpack", "application/x-msgpack", "application/cbor", "application/x-protobuf",
        "application/x-ndjson", "application/x-www-form-urlencoded", "application/zip", "application/gzip", "application/wasm",
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif");

    private static readonly FrozenSet<string>.AlternateLookup<ReadOnlySpan<char>> Inert =
        InertTypes.GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>Whether a browser might run content of this type.</summary>
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
