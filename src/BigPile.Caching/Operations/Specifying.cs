using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;

namespace BigPile.Caching.Operations;

/// <summary>Makes of options what entries are put with.</summary>
internal static class Specifying
{
    /// <summary>Whether entries that are put without options are plain.</summary>
    internal static bool PutsPlain(this TableCore core)
    {
        TableOptions table = core.Options;
        return table.DefaultMaxAge == null && table.DefaultSliding == null && table.DefaultPriority == EntryPriority.Normal;
    }

    /// <summary>Makes of the table's options and those of a put what the entry will hold.</summary>
    /// <param name="core">The table.</param>
    /// <param name="options">The put's options, if it has any.</param>
    /// <param name="tagBuffer">Room for <see cref="EntryHead.MaxTags"/> hashes; the result looks into it.</param>
    internal static EntrySpec SpecOf(this TableCore core, EntryOptions? options, Span<ulong> tagBuffer)
    {
        TableOptions table = core.Options;
        TimeSpan? maxAge = options?.MaxAge ?? (options?.ExpiresAt == null ? table.DefaultMaxAge : null);
        TimeSpan? sliding = options?.Sliding ?? table.DefaultSliding;
        EntryPriority priority = options?.Priority ?? table.DefaultPriority;
        if (priority > EntryPriority.NeverEvict)
            RefusePriority(priority);
        if (maxAge == null && sliding == null && options?.ExpiresAt == null && options?.Tags == null)
            return new EntrySpec { ExpiresAt = long.MaxValue, Priority = priority };
        long end = core.InCacheTime(options?.ExpiresAt);
        long now = core.Clock.Now; // after the look at the clock, with which it may go forth
        if (maxAge is { } age)
            end = Math.Min(end, CacheClock.Add(now, RequirePositive(age, nameof(EntryOptions.MaxAge))));
        long slidingTicks = sliding is { } time ? RequirePositive(time, nameof(EntryOptions.Sliding)) : 0;
        return new EntrySpec
        {
            ExpiresAt = slidingTicks == 0 ? end : Math.Min(end, CacheClock.Add(now, slidingTicks)),
            SlidingTicks = slidingTicks,
            SlidingEnd = end,
            Priority = priority,
            Tags = HashTags(options?.Tags, tagBuffer),
        };
    }

    /// <summary>How an entry is put again to live anew; what the options leave out stays as it is.</summary>
    /// <param name="core">The table.</param>
    /// <param name="entry">The entry as it is.</param>
    /// <param name="options">What is to be different; <see langword="null"/>: it lives without an end.</param>
    /// <param name="tagBuffer">Room for <see cref="EntryHead.MaxTags"/> hashes; the result may look into it.</param>
    internal static EntrySpec SpecOf(this TableCore core, in EntryCopy entry, EntryOptions? options, Span<ulong> tagBuffer)
    {
        if (options == null)
            return new EntrySpec { ExpiresAt = long.MaxValue, Priority = entry.Priority, Tags = entry.Tags };
        EntryPriority priority = options.Priority ?? entry.Priority;
        if (priority > EntryPriority.NeverEvict)
            RefusePriority(priority);
        long until = core.InCacheTime(options.ExpiresAt);
        long now = core.Clock.Now; // after the look at the clock, with which it may go forth
        long slidingTicks = options.Sliding is { } time ? RequirePositive(time, nameof(EntryOptions.Sliding)) : entry.SlidingTicks;
        long end = core.EndOf(entry, options, until, now);
        return new EntrySpec
        {
            ExpiresAt = slidingTicks == 0 ? end : Math.Min(end, CacheClock.Add(now, slidingTicks)),
            SlidingTicks = slidingTicks,
            SlidingEnd = end,
            Priority = priority,
            Tags = options.Tags == null ? entry.Tags : HashTags(options.Tags, tagBuffer),
        };
    }

    // The instant beyond which no use keeps the entry. For one that has no sliding time that is its expiry.
    private static long EndOf(this TableCore core, in EntryCopy entry, EntryOptions options, long until, long now)
    {
        if (options.MaxAge == null && options.ExpiresAt == null)
        {
            long life = entry.SlidingEnd - core.Clock.PutAt(entry.Info.Version);
            return entry.SlidingEnd == long.MaxValue ? long.MaxValue : CacheClock.Add(now, Math.Max(1, life));
        }
        return options.MaxAge is { } age ? Math.Min(until, CacheClock.Add(now, RequirePositive(age, nameof(EntryOptions.MaxAge)))) : until;
    }

    private static long InCacheTime(this TableCore core, DateTimeOffset? instant)
    {
        if (instant is not { } end)
            return long.MaxValue;
        core.Clock.Follow();
        return core.Clock.FromSystem(end.UtcTicks);
    }

    /// <summary>What was stated in instants of the system's clock.</summary>
    internal static EntrySpec InCacheTime(this TableCore core, in EntrySpec spec)
    {
        if (spec.ExpiresAt == long.MaxValue)
            return spec;
        core.Clock.Follow();
        return new EntrySpec
        {
            ExpiresAt = core.Clock.FromSystem(spec.ExpiresAt),
            SlidingTicks = spec.SlidingTicks,
            SlidingEnd = core.Clock.FromSystem(spec.SlidingEnd),
            Priority = spec.Priority,
            Tags = spec.Tags,
        };
    }

    [DoesNotReturn]
    private static void RefusePriority(EntryPriority priority) => throw new ArgumentOutOfRangeException(
        nameof(EntryOptions.Priority), priority, "EntryOptions.Priority must be Low, Normal, High or NeverEvict.");

    private static long RequirePositive(TimeSpan time, string name)
    {
        if (time <= TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(name, time, $"EntryOptions.{name} must be above zero.");
        return time.Ticks;
    }

    /// <summary>The hashes of a put's tags.</summary>
    internal static ulong[] TagHashesOf(EntryOptions? options) =>
        options?.Tags == null ? [] : HashTags(options.Tags, stackalloc ulong[EntryHead.MaxTags]).ToArray();

    private static Span<ulong> HashTags(IReadOnlyCollection<string>? tags, Span<ulong> buffer)
    {
        if (tags == null)
            return default;
        if (tags.Count > EntryHead.MaxTags)
            throw new ArgumentException($"The entry has {tags.Count:N0} tags; {EntryHead.MaxTags} are allowed.", nameof(EntryOptions.Tags));
        Debug.Assert(buffer.Length >= EntryHead.MaxTags, "Each tag has room for its hash.");
        int count = 0;
        foreach (string tag in tags)
        {
            ArgumentException.ThrowIfNullOrEmpty(tag, nameof(EntryOptions.Tags));
            buffer[count++] = TagHash.Of(tag);
        }
        return buffer[..count];
    }
}
