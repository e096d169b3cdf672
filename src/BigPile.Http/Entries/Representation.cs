using BigPile.Caching;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Entries;

/// <summary>An entry in the form in which a client gets it (RFC 9110, 3.2), without the payload.</summary>
/// <param name="Info">Version, size and expiry.</param>
/// <param name="ContentType">Its content type.</param>
/// <param name="Coding">The coding in which it is stored.</param>
/// <param name="Form">The form in which the client gets it.</param>
/// <param name="HeadBytes">Bytes of the value before the payload.</param>
/// <param name="IsOfNow">Whether the query depends on the current time, so that no cache may answer it later.</param>
internal readonly record struct Representation(
    EntryInfo Info, string ContentType, ContentCoding Coding, PayloadForm Form, int HeadBytes, bool IsOfNow)
{
    /// <summary>The stored length of the payload, in bytes.</summary>
    internal int StoredBytes => Info.ValueBytes - HeadBytes;

    internal bool IsDecoded => Form == PayloadForm.Decoded;

    internal string Tag => EntityTag.Of(Info.Version, IsDecoded);

    /// <summary>Sets the headers of 304.</summary>
    internal void DescribeTo(HttpResponse response, CacheTable table)
    {
        var writer = new HeaderWriter(response.Headers);
        Answer.DescribeKnown(ref writer, Info, Coding, IsDecoded, table.GetAge(Info, out _).Ticks, table.Options.PublicMaxAge);
        if (IsOfNow)
            writer.KeptByClient();
    }

    /// <summary>Sets the headers of an answer with the payload, or to HEAD.</summary>
    internal void DescribePayloadTo(HttpResponse response, CacheTable table)
    {
        response.ContentType = ContentType;
        BrowserGuard.Protect(response.Headers, ContentType);
        var writer = new HeaderWriter(response.Headers);
        Answer.DescribePayload(ref writer, Info, Coding, IsDecoded, table.GetAge(Info, out _).Ticks, table.Options.PublicMaxAge);
        if (IsOfNow)
            writer.KeptByClient();
    }
}
