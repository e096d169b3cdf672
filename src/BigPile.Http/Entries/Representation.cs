using System.Globalization;
using BigPile.Caching;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Entries;

/// <summary>What a client is told of an entry beside its payload.</summary>
/// <param name="Info">Version, size and expiry.</param>
/// <param name="ContentType">The content type that it was put with.</param>
/// <param name="Coding">How it is stored.</param>
/// <param name="Form">The form in which the client gets it.</param>
/// <param name="HeadBytes">The bytes of the value in front of the payload.</param>
internal readonly record struct Representation(
    EntryInfo Info, string ContentType, ContentCoding Coding, PayloadForm Form, int HeadBytes)
{
    /// <summary>The payload's length as it is stored.</summary>
    internal int StoredBytes => Info.ValueBytes - HeadBytes;

    internal bool IsDecoded => Form == PayloadForm.Decoded;

    internal string Tag => EntityTag.Of(Info.Version, IsDecoded);

    /// <summary>Sets what 200, 206 and 304 have in common.</summary>
    internal void DescribeTo(HttpResponse response, long nowTicks)
    {
        IHeaderDictionary headers = response.Headers;
        headers.ETag = Tag;
        headers.Age = Text(Freshness.AgeSeconds(Info, nowTicks));
        headers.LastModified = HeaderUtilities.FormatDate(Info.PutAt);
        if (Coding != ContentCoding.Identity)
            headers.Vary = HeaderNames.AcceptEncoding;
        if (Info.ExpiryTicks == 0)
            return;
        headers.CacheControl = "private, max-age=" + Text(Freshness.LifetimeSeconds(Info));
    }

    /// <summary>Sets what only an answer with the payload, or one that could have it, says.</summary>
    internal void DescribePayloadTo(HttpResponse response, long nowTicks)
    {
        DescribeTo(response, nowTicks);
        response.ContentType = ContentType;
        IHeaderDictionary headers = response.Headers;
        BrowserGuard.Protect(headers, ContentType);
        if (!IsDecoded)
            headers.AcceptRanges = "bytes";
        if (Coding != ContentCoding.Identity && !IsDecoded)
            headers.ContentEncoding = ContentCodings.NameOf(Coding);
        if (Info.ExpiryTicks != 0)
            headers[EntryHeaders.Ttl] = Text(Freshness.RemainingSeconds(Info, nowTicks));
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
