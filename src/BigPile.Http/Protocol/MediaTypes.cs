using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Protocol;

/// <summary>The content types that are stored as one byte. The codes are stored: the list may only grow at its end.</summary>
internal static class MediaTypes
{
    internal const string Json = "application/json";

    internal const string Default = "application/octet-stream";

    /// <summary>The maximum length of a content type, in characters.</summary>
    internal const int MaxLength = byte.MaxValue;

    // The code is the index in the list; 0 means that the type is stored as text.
    private static readonly string?[] ByCode =
    [
        null,
        Json,
        "text/plain; charset=utf-8",
        Default,
        "application/msgpack",
        "text/html; charset=utf-8",
        "text/plain",
        "text/html",
        "application/json; charset=utf-8",
        "application/x-ndjson",
        "application/vnd.msgpack",
        "application/x-msgpack",
        "application/cbor",
        "application/x-protobuf",
        "application/xml",
        "text/xml",
        "text/css",
        "text/csv",
        "text/javascript",
        "text/markdown",
        "application/pdf",
        "application/zip",
        "application/gzip",
        "application/wasm",
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/avif",
        "image/svg+xml",
        "application/x-www-form-urlencoded", // curl's default
    ];

    /// <summary>The code of a content type, or 0 if it is not in the list.</summary>
    internal static byte CodeOf(string contentType) => ByText.Codes.GetValueOrDefault(contentType);

    /// <summary>The content type of a code, or <see langword="null"/> when this version does not know the code.</summary>
    internal static string? Find(byte code) => code < ByCode.Length ? ByCode[code] : null;

    /// <summary>Whether a text can be stored and sent as a content type.</summary>
    internal static bool IsValid(string contentType) =>
        contentType.Length is > 0 and <= MaxLength
        && !contentType.AsSpan().ContainsAnyExceptInRange(' ', '~')
        && MediaTypeHeaderValue.TryParse(contentType, out _);

    // Initialized by the first put: reads need only the list.
    private static class ByText
    {
        internal static readonly FrozenDictionary<string, byte> Codes = CodesOf(ByCode);

        private static FrozenDictionary<string, byte> CodesOf(string?[] byCode)
        {
            var codes = new Dictionary<string, byte>(StringComparer.Ordinal);
            for (int code = 1; code < byCode.Length; code++)
                codes.Add(byCode[code]!, (byte)code);
            return codes.ToFrozenDictionary(StringComparer.Ordinal);
        }
    }
}
