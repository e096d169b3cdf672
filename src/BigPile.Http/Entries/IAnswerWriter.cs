using System;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>Writes the headers of an answer about an entry: as text, or into the headers of a response.</summary>
internal interface IAnswerWriter
{
    /// <summary>The payload can be read in ranges.</summary>
    void TakesRanges();

    /// <summary>The seconds since the entry was put.</summary>
    void Age(long seconds);

    /// <summary>The content coding of the payload as sent.</summary>
    void ContentEncoding(ContentCoding coding);

    /// <summary>The seconds until the entry expires.</summary>
    void TimeToLive(long seconds);

    /// <summary>The tag of the entry's version.</summary>
    void EntityTag(ulong version, bool isDecoded);

    /// <summary>When the entry was put.</summary>
    void LastModified(DateTimeOffset putAt);

    /// <summary>The response depends on the request's Accept-Encoding.</summary>
    void VariesByCoding();

    /// <summary>The client may keep the payload, and must revalidate it before each use.</summary>
    void KeptByClient();

    /// <summary>How long the payload may be kept.</summary>
    /// <param name="isPublic">
    /// Whether shared caches may keep it, counted from now; otherwise only the client may, counted from the put.
    /// </param>
    /// <param name="seconds">The seconds.</param>
    void KeptFor(bool isPublic, long seconds);
}
