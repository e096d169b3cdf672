using System;
using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>What an answer says of an entry beside its payload, whoever writes it: the fast door and the full stack say the same.</summary>
internal static class Answer
{
    /// <summary>Says what goes with the payload, or with an answer that could have it: 200, 206, and those to HEAD.</summary>
    /// <param name="writer">Writes it.</param>
    /// <param name="info">Version, age and expiry.</param>
    /// <param name="coding">How the payload is stored.</param>
    /// <param name="isDecoded">Whether the client gets it decompressed.</param>
    /// <param name="nowTicks">The present instant in the time that the entry's are of.</param>
    /// <param name="publicMaxAge">How long caches on the way may keep it; <see langword="null"/>: not at all.</param>
    internal static void DescribePayload<TWriter>(
        ref TWriter writer, in EntryInfo info, ContentCoding coding, bool isDecoded, long nowTicks, TimeSpan? publicMaxAge)
        where TWriter : struct, IAnswerWriter, allows ref struct
    {
        if (!isDecoded)
            writer.TakesRanges();
        if (coding != ContentCoding.Identity && !isDecoded)
            writer.ContentEncoding(coding);
        if (info.ExpiryTicks != 0)
            writer.TimeToLive(Freshness.RemainingSeconds(info, nowTicks));
        DescribeEntry(ref writer, info, coding, isDecoded);
        DescribeCaching(ref writer, info, nowTicks, publicMaxAge);
    }

    /// <summary>Says what a client that knows the payload is told: 304.</summary>
    /// <inheritdoc cref="DescribePayload"/>
    internal static void DescribeKnown<TWriter>(
        ref TWriter writer, in EntryInfo info, ContentCoding coding, bool isDecoded, long nowTicks, TimeSpan? publicMaxAge)
        where TWriter : struct, IAnswerWriter, allows ref struct
    {
        DescribeEntry(ref writer, info, coding, isDecoded);
        DescribeCaching(ref writer, info, nowTicks, publicMaxAge);
    }

    /// <summary>
    /// Says who may keep the payload, and how old it is: without a word a cache on the way would give it to anyone, and go on with it for
    /// ever.
    /// </summary>
    /// <remarks>An age counts against what a cache may keep, and not all caches count it: where one is meant, none is said.</remarks>
    /// <inheritdoc cref="DescribePayload"/>
    internal static void DescribeCaching<TWriter>(ref TWriter writer, in EntryInfo info, long nowTicks, TimeSpan? publicMaxAge)
        where TWriter : struct, IAnswerWriter, allows ref struct
    {
        if (publicMaxAge is { } shared)
        {
            long seconds = (long)shared.TotalSeconds;
            writer.KeptFor(
                isPublic: true, info.ExpiryTicks != 0 ? Math.Min(seconds, Freshness.RemainingSeconds(info, nowTicks)) : seconds);
            return;
        }
        writer.Age(Freshness.AgeSeconds(info, nowTicks));
        if (info.ExpiryTicks != 0)
            writer.KeptFor(isPublic: false, Freshness.LifetimeSeconds(info));
        else
            writer.KeptByClient();
    }

    private static void DescribeEntry<TWriter>(ref TWriter writer, in EntryInfo info, ContentCoding coding, bool isDecoded)
        where TWriter : struct, IAnswerWriter, allows ref struct
    {
        writer.EntityTag(info.Version, isDecoded);
        writer.LastModified(info.PutAt);
        if (coding != ContentCoding.Identity)
            writer.VariesByCoding();
    }
}
