using System;
using BigPile.Http.Protocol;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Bulk;

/// <summary>The formats of the answer to a batch.</summary>
internal enum BatchForm
{
    /// <summary>None that the client accepts.</summary>
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

    private static readonly (BatchForm Form, string MediaType)[] Forms =
        [(BatchForm.Json, MediaTypes.Json), (BatchForm.Binary, Binary), (BatchForm.Multipart, Multipart)];

    /// <summary>The format that an Accept header weights highest, the first of equals; JSON without a header.</summary>
    internal static BatchForm Choose(StringValues accept)
    {
        if (accept.Count == 0)
            return BatchForm.Json;
        string header = accept.ToString();
        BatchForm chosen = BatchForm.None;
        (int Weight, int Place) best = (0, 0);
        foreach ((BatchForm form, string mediaType) in Forms)
        {
            AcceptedType found = AcceptedType.Of(header, mediaType);
            if (found.Weight > best.Weight || (found.Weight == best.Weight && found.Weight != 0 && found.Place < best.Place))
                (chosen, best) = (form, (found.Weight, found.Place));
        }
        return chosen;
    }

    /// <summary>Whether a content type is of a media type, ignoring parameters.</summary>
    internal static bool Is(ReadOnlySpan<char> contentType, ReadOnlySpan<char> mediaType)
    {
        int semicolon = contentType.IndexOf(';');
        if (semicolon >= 0)
            contentType = contentType[..semicolon];
        return contentType.Trim(" \t").Equals(mediaType, StringComparison.OrdinalIgnoreCase);
    }
}
