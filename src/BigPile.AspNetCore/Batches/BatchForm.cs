using System;
using Microsoft.Extensions.Primitives;

namespace BigPile.AspNetCore.Batches;

/// <summary>The forms that the answer to a batch can have.</summary>
internal enum BatchForm
{
    /// <summary>None that the client takes.</summary>
    None,

    /// <summary>One JSON document, with payloads in base64.</summary>
    Json,

    /// <summary><see cref="BatchFrame"/> after <see cref="BatchFrame"/>.</summary>
    Binary,

    /// <summary><c>multipart/mixed</c>, a part for each item; for reads only.</summary>
    Multipart,
}

/// <summary>Media types of batches.</summary>
internal static class BatchForms
{
    internal const string Binary = "application/vnd.bigpile.batch";
    internal const string Keys = "application/vnd.bigpile.keys";
    internal const string Multipart = "multipart/mixed";

    /// <summary>The first form in an Accept header that there is; JSON without a header.</summary>
    internal static BatchForm Choose(StringValues accept)
    {
        if (accept.Count == 0)
            return BatchForm.Json;
        foreach (string? line in accept)
        {
            foreach (Range part in line.AsSpan().Split(','))
            {
                BatchForm form = FormOf(line.AsSpan()[part]);
                if (form != BatchForm.None)
                    return form;
            }
        }
        return BatchForm.None;
    }

    /// <summary>Whether a content type is a media type, whatever its parameters are.</summary>
    internal static bool Is(ReadOnlySpan<char> contentType, ReadOnlySpan<char> mediaType)
    {
        int semicolon = contentType.IndexOf(';');
        if (semicolon >= 0)
            contentType = contentType[..semicolon];
        return contentType.Trim(" \t").Equals(mediaType, StringComparison.OrdinalIgnoreCase);
    }

    private static BatchForm FormOf(ReadOnlySpan<char> item)
    {
        if (item.TrimEnd(" \t").EndsWith("q=0", StringComparison.OrdinalIgnoreCase))
            return BatchForm.None; // the client says that it does not take this
        if (Is(item, Binary))
            return BatchForm.Binary;
        if (Is(item, Multipart) || Is(item, "multipart/*"))
            return BatchForm.Multipart;
        return Is(item, "application/json") || Is(item, "application/*") || Is(item, "*/*") ? BatchForm.Json : BatchForm.None;
    }
}
