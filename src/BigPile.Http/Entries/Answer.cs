using System;
using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>The headers of an answer about an entry, written alike by the full stack and the fast path.</summary>
internal static class Answer
{
    /// <summary>Writes the headers of 200 and 206, to HEAD too.</summary>
    /// <param name="writer">The writer.</param>
    /// <param name="info">The entry's version, put time and expiry.</param>
    /// <param name="coding">How the payload is stored.</param>
    /// <param name="isDecoded">Whether the client gets it decompressed.</param>
    /// <param name="ageTicks">The entry's age, in ticks.</param>
    /// <param name="publicMaxAge">How long shared caches may keep it; <see langword="null"/>: not at all.</param>
    internal static void DescribePayload<TWriter>(
        ref TWriter writer, in EntryInfo info, ContentCoding coding, bool isDecoded, long ageTicks, TimeSpan? publicMaxAge)
        where TWriter : struct, IAnswerWriter, allows ref struct
    {
        if (!isDecoded)
            writer.TakesRanges();
        if (coding != ContentCoding.Identity && !isDecoded)
            writer.ContentEncoding(coding);
        if (info.Lifetime is { } lifetime)
            writer.TimeToLive(Freshness.RemainingSeconds(lifetime, ageTicks));
        DescribeEntry(ref writer, info, coding, isDecoded);
        DescribeCaching(ref writer, info, ageTicks, publicMaxAge);
    }

    /// <summary>Writes the headers of 304.</summary>
    /// <inheritdoc cref="DescribePayload"/>
    internal static void DescribeKnown<TWriter>(
        ref TWriter writer, in EntryInfo info, ContentCoding coding, bool isDecoded, long ageTicks, TimeSpan? publicMaxAge)
        where TWriter : struct, IAnswerWriter, allows ref struct
    {
        DescribeEntry(ref writer, info, coding, isDecoded);
        DescribeCaching(ref writer, info, ageTicks, publicMaxAge);
    }

    /// <summary>
    /// Writes Cache-Control, and Age where it applies: without them a shared cache would give the payload to anyone, for any time.
    /// </summary>
    /// <remarks>
    /// Age reduces max-age in a shared cache, but not every cache counts it. Where shared caching is allowed, max-age is therefore the
    /// remaining time, and no Age is sent.
    /// </remarks>
    /// <inheritdoc cref="DescribePayload"/>
    internal static void DescribeCaching<TWriter>(ref TWriter writer, in EntryInfo info, long ageTicks, TimeSpan? publicMaxAge)
        where TWriter : struct, IAnswerWriter, allows ref struct
    {
        TimeSpan? lifetime = info.Lifetime;
        if (publicMaxAge is { } shared)
        {
            long seconds = (long)shared.TotalSeconds;
            if (lifetime is { } limit)
                seconds = Math.Min(seconds, Freshness.RemainingSeconds(limit, ageTicks));
            writer.KeptFor(isPublic: true, seconds);
            return;
        }
        writer.Age(Freshness.AgeSeconds(ageTicks));
        if (lifetime is { } time)
            writer.KeptFor(isPublic: false, Freshness.LifetimeSeconds(time));
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
