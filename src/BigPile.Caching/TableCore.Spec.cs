using System;
using System.Collections.Generic;
using BigPile.Caching.Entries;
using BigPile.Caching.Tags;

namespace BigPile.Caching;

/// <summary>What entries are put with.</summary>
internal sealed partial class TableCore
{
    /// <summary>Whether entries that are put without options are plain.</summary>
    internal bool PutsPlain
    {
        get
        {
            TableOptions table = Options;
            return table.DefaultMaxAge == null && table.DefaultSliding == null && table.DefaultPriority == EntryPriority.Normal;
        }
    }

    /// <summary>Makes of the table's options and those of a put what the entry will hold.</summary>
    /// <param name="options">The put's options, if it has any.</param>
    /// <param name="tagRoom">Room for <see cref="EntryHead.MaxTags"/> hashes; the result looks into it.</param>
    internal EntrySpec SpecOf(EntryOptions? options, Span<ulong> tagRoom)
    {
        TableOptions table = Options;
        TimeSpan? maxAge = options?.MaxAge ?? (options?.ExpiresAt == null ? table.DefaultMaxAge : null);
        TimeSpan? sliding = options?.Sliding ?? table.DefaultSliding;
        EntryPriority priority = options?.Priority ?? table.DefaultPriority;
        if (maxAge == null && sliding == null && options?.ExpiresAt == null && options?.Tags == null)
            return new EntrySpec { ExpiresAt = long.MaxValue, Priority = priority };
        long now = _clock.Now;
        long end = long.MaxValue;
        if (maxAge is { } age)
            end = Add(now, RequirePositive(age, nameof(EntryOptions.MaxAge)));
        if (options?.ExpiresAt is { } expiresAt)
            end = Math.Min(end, InCacheTime(expiresAt));
        long slidingTicks = sliding is { } time ? RequirePositive(time, nameof(EntryOptions.Sliding)) : 0;
        return new EntrySpec
        {
            ExpiresAt = slidingTicks == 0 ? end : Math.Min(end, Add(now, slidingTicks)),
            SlidingTicks = slidingTicks,
            SlidingEnd = end,
            Priority = priority,
            Tags = HashTags(options?.Tags, tagRoom),
        };
    }

    /// <summary>How an entry is put again to live differently.</summary>
    internal EntrySpec SpecOf(in EntryCopy entry, in EntryLifetime lifetime)
    {
        if (lifetime.IsEndless)
            return new EntrySpec { ExpiresAt = long.MaxValue, Priority = entry.Priority, Tags = entry.Tags };
        long now = _clock.Now;
        long slidingTicks = lifetime.Sliding is { } time ? RequirePositive(time, nameof(EntryOptions.Sliding)) : entry.SlidingTicks;
        long end = EndOf(entry, lifetime, now);
        return new EntrySpec
        {
            ExpiresAt = slidingTicks == 0 ? end : Math.Min(end, Add(now, slidingTicks)),
            SlidingTicks = slidingTicks,
            SlidingEnd = end,
            Priority = entry.Priority,
            Tags = entry.Tags,
        };
    }

    // The instant beyond which no use keeps the entry. For one that has no sliding time that is its expiry.
    private long EndOf(in EntryCopy entry, in EntryLifetime lifetime, long now)
    {
        if (lifetime.MaxAge == null && lifetime.ExpiresAt == null)
        {
            long life = entry.SlidingEnd - _clock.PutAt(entry.Info.Version);
            return entry.SlidingEnd == long.MaxValue ? long.MaxValue : Add(now, Math.Max(1, life));
        }
        long end = lifetime.MaxAge is { } age ? Add(now, RequirePositive(age, nameof(EntryOptions.MaxAge))) : long.MaxValue;
        return lifetime.ExpiresAt is { } expiresAt ? Math.Min(end, InCacheTime(expiresAt)) : end;
    }

    private long InCacheTime(DateTimeOffset instant)
    {
        _clock.Follow();
        return _clock.FromSystem(instant.UtcTicks);
    }

    /// <summary>What was stated in instants of the system's clock.</summary>
    internal EntrySpec InCacheTime(in EntrySpec spec)
    {
        if (spec.ExpiresAt == long.MaxValue)
            return spec;
        _clock.Follow();
        return new EntrySpec
        {
            ExpiresAt = _clock.FromSystem(spec.ExpiresAt),
            SlidingTicks = spec.SlidingTicks,
            SlidingEnd = _clock.FromSystem(spec.SlidingEnd),
            Priority = spec.Priority,
            Tags = spec.Tags,
        };
    }

    private static long RequirePositive(TimeSpan time, string name)
    {
        if (time <= TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(name, time, $"EntryOptions.{name} must be above zero.");
        return time.Ticks;
    }

    /// <summary>The hashes of a put's tags.</summary>
    internal static ulong[] TagHashesOf(EntryOptions? options) =>
        options?.Tags == null ? [] : HashTags(options.Tags, stackalloc ulong[EntryHead.MaxTags]).ToArray();

    private static Span<ulong> HashTags(IReadOnlyCollection<string>? tags, Span<ulong> room)
    {
        if (tags == null)
            return default;
        if (tags.Count > EntryHead.MaxTags)
            throw new ArgumentException($"The entry has {tags.Count:N0} tags; {EntryHead.MaxTags} are allowed.", nameof(EntryOptions.Tags));
        int count = 0;
        foreach (string tag in tags)
        {
            ArgumentException.ThrowIfNullOrEmpty(tag, nameof(EntryOptions.Tags));
            room[count++] = TagHash.Of(tag);
        }
        return room[..count];
    }
}
