using System;
using System.Globalization;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Entries;

/// <summary>Writes entry headers to a response of the full stack.</summary>
internal readonly struct HeaderWriter(IHeaderDictionary headers) : IAnswerWriter
{
    public void TakesRanges() => headers.AcceptRanges = "bytes";

    public void Age(long seconds) => headers.Age = Text(seconds);

    public void ContentEncoding(ContentCoding coding) => headers.ContentEncoding = ContentCodings.NameOf(coding);

    public void TimeToLive(long seconds) => headers[EntryHeaders.Ttl] = Text(seconds);

    public void EntityTag(ulong version, bool isDecoded) => headers.ETag = Protocol.EntityTag.Of(version, isDecoded);

    public void LastModified(DateTimeOffset putAt) => headers.LastModified = HeaderUtilities.FormatDate(putAt);

    public void VariesByCoding() => headers.Append(HeaderNames.Vary, HeaderNames.AcceptEncoding);

    public void KeptByClient() => headers.CacheControl = "private, no-cache";

    public void KeptFor(bool isPublic, long seconds) =>
        headers.CacheControl = (isPublic ? "public, max-age=" : "private, max-age=") + Text(seconds);

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
