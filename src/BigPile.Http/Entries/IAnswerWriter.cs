using System;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>Puts what an answer says of an entry into lines of a head, or into the headers of a response.</summary>
internal interface IAnswerWriter
{
    /// <summary>Parts of the payload can be had.</summary>
    void TakesRanges();

    /// <summary>The seconds since the entry was put.</summary>
    void Age(long seconds);

    /// <summary>How the payload is compressed on the way.</summary>
    void ContentEncoding(ContentCoding coding);

    /// <summary>The seconds until the entry is gone.</summary>
    void TimeToLive(long seconds);

    /// <summary>The tag of the entry's version.</summary>
    void EntityTag(ulong version, bool isDecoded);

    /// <summary>When the entry was put.</summary>
    void LastModified(DateTimeOffset putAt);

    /// <summary>The payload depends on the codings that the client takes.</summary>
    void VariesByCoding();

    /// <summary>The client itself may keep the payload, and asks each time whether it is still the entry's.</summary>
    void KeptByClient();

    /// <summary>How long the payload may be kept.</summary>
    /// <param name="isPublic">From now on by caches on the way too, for anyone; otherwise from the put on by the client itself.</param>
    /// <param name="seconds">The seconds.</param>
    void KeptFor(bool isPublic, long seconds);
}
