using BigPile.Caching;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Entries;

/// <summary>What a client is told of an entry beside its payload.</summary>
/// <param name="Info">Version, size and expiry.</param>
/// <param name="ContentType">The content type that it was put with.</param>
/// <param name="Coding">How it is stored.</param>
/// <param name="Form">The form in which the client gets it.</param>
/// <param name="HeadBytes">The bytes of the value in front of the payload.</param>
/// <param name="IsOfNow">Whether the query asks for what holds at this instant, so that no cache may answer it later.</param>
internal readonly record struct Representation(
    EntryInfo Info, string ContentType, ContentCoding Coding, PayloadForm Form, int HeadBytes, bool IsOfNow)
{
    /// <summary>The payload's length as it is stored.</summary>
    internal int StoredBytes => Info.ValueBytes - HeadBytes;

    internal bool IsDecoded => Form == PayloadForm.Decoded;

    internal string Tag => EntityTag.Of(Info.Version, IsDecoded);

    /// <summary>Sets what 304 says.</summary>
    internal void DescribeTo(HttpResponse response, CacheTable table)
    {
        var writer = new HeaderWriter(response.Headers);
        Answer.DescribeKnown(ref writer, Info, Coding, IsDecoded, table.Core.Clock.NowOf(Info.Version), table.Options.PublicMaxAge);
        if (IsOfNow)
            writer.KeptByClient();
    }

    /// <summary>Sets what an answer with the payload, or one that could have it, says.</summary>
    internal void DescribePayloadTo(HttpResponse response, CacheTable table)
    {
        response.ContentType = ContentType;
        BrowserGuard.Protect(response.Headers, ContentType);
        var writer = new HeaderWriter(response.Headers);
        Answer.DescribePayload(ref writer, Info, Coding, IsDecoded, table.Core.Clock.NowOf(Info.Version), table.Options.PublicMaxAge);
        if (IsOfNow)
            writer.KeptByClient();
    }
}
