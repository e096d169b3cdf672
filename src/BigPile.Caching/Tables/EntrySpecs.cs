using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Tags;
using BigPile.Layout;

namespace BigPile.Caching.Tables;

/// <summary>Converts options to entry specs.</summary>
internal readonly struct EntrySpecs(TableEngine table)
{
    /// <summary>Combines the table's options and those of a put.</summary>
    /// <param name="options">The put's options, if it has any.</param>
    /// <param name="isNull">Whether the value is null.</param>
    /// <param name="tagBuffer">A buffer for <see cref="EntryHead.MaxTags"/> hashes; the result points into it.</param>
    internal EntrySpec SpecOf(EntryOptions? options, bool isNull, Span<ulong> tagBuffer)
    {
        TableOptions defaults = table.Options;
        TimeSpan? maxAge = options?.MaxAge ?? (options?.ExpiresAt == null ? defaults.DefaultMaxAge : null);
        if (isNull)
            maxAge = options?.NullMaxAge ?? defaults.NullMaxAge ?? maxAge;
        TimeSpan? sliding = options?.Sliding ?? defaults.DefaultSliding;
        EntryPriority priority = options?.Priority ?? defaults.DefaultPriority;
        if (priority > EntryPriority.NeverEvict)
            RefusePriority(priority);
        EntrySpec spec = EntrySpec.Plain with { Priority = priority, Tags = HashTags(options?.Tags, tagBuffer) };
        if (maxAge == null && sliding == null && options?.ExpiresAt == null)
            return spec; // without a lifetime
        long end = InCacheTime(options?.ExpiresAt);
        long now = table.Clock.Now; // after InCacheTime, which may advance the clock
        if (maxAge is { } age)
            end = Math.Min(end, CacheClock.Add(now, WithJitter(RequirePositive(age, nameof(EntryOptions.MaxAge)), options, defaults)));
        long slidingTicks = sliding is { } time ? RequirePositive(time, nameof(EntryOptions.Sliding)) : 0;
        return spec with
        {
            ExpiresAt = slidingTicks == 0 ? end : Math.Min(end, CacheClock.Add(now, slidingTicks)),
            SlidingTicks = slidingTicks,
            SlidingEnd = end,
            FailSafeTicks = FailSafeTicksOf(options, defaults),
        };
    }

    /// <summary>Prepares the pile for a spec of <see cref="EntrySpec.FailSafeTicks"/>. The caller is outside of critical regions.</summary>
    private long UseFailSafe(long ticks)
    {
        if (ticks != 0)
            table.Heap.Use(Feature.FailSafeEntries);
        return ticks;
    }

    private long WithJitter(long ticks, EntryOptions? options, TableOptions defaults)
    {
        TimeSpan jitter = options?.MaxAgeJitter ?? defaults.MaxAgeJitter;
        long most = RequireNotNegative(jitter, nameof(EntryOptions.MaxAgeJitter));
        return most == 0 ? ticks : CacheClock.Add(ticks, table.Factories.NextJitter(most));
    }

    private long FailSafeTicksOf(EntryOptions? options, TableOptions defaults)
    {
        TimeSpan time = options?.FailSafeMaxAge ?? defaults.DefaultFailSafeMaxAge ?? TimeSpan.Zero;
        return UseFailSafe(RequireNotNegative(time, nameof(EntryOptions.FailSafeMaxAge)));
    }

    /// <summary>The spec to renew an entry. What the options leave out stays.</summary>
    /// <param name="entry">The present entry.</param>
    /// <param name="options">What changes; <see langword="null"/>: the entry never expires.</param>
    /// <param name="tagBuffer">A buffer for <see cref="EntryHead.MaxTags"/> hashes; the result may point into it.</param>
    internal EntrySpec SpecOf(in EntryCopy entry, EntryOptions? options, Span<ulong> tagBuffer)
    {
        if (options == null)
            return entry.Spec with { ExpiresAt = long.MaxValue, SlidingTicks = 0, SlidingEnd = long.MaxValue };
        EntryPriority priority = options.Priority ?? entry.Priority;
        if (priority > EntryPriority.NeverEvict)
            RefusePriority(priority);
        long until = InCacheTime(options.ExpiresAt);
        long now = table.Clock.Now; // after InCacheTime, which may advance the clock
        long slidingTicks = options.Sliding is { } time ? RequirePositive(time, nameof(EntryOptions.Sliding)) : entry.SlidingTicks;
        long end = EndOf(entry, options, until, now);
        return entry.Spec with
        {
            ExpiresAt = slidingTicks == 0 ? end : Math.Min(end, CacheClock.Add(now, slidingTicks)),
            SlidingTicks = slidingTicks,
            SlidingEnd = end,
            FailSafeTicks = options.FailSafeMaxAge == null ? entry.FailSafeTicks : FailSafeTicksOf(options, table.Options),
            Priority = priority,
            Tags = options.Tags == null ? entry.Tags : HashTags(options.Tags, tagBuffer),
        };
    }

    /// <summary>The spec of an entry whose value a factory found not modified: as a put, with the tags and priority that it had.</summary>
    /// <param name="entry">The present or stale entry.</param>
    /// <param name="options">What the factory says. Where neither it nor the table has a lifetime, the entry's begins anew.</param>
    /// <param name="isNull">Whether the value is null.</param>
    /// <param name="tagBuffer">A buffer for <see cref="EntryHead.MaxTags"/> hashes; the result may point into it.</param>
    internal EntrySpec SpecOfMade(in EntryCopy entry, EntryOptions? options, bool isNull, Span<ulong> tagBuffer)
    {
        EntrySpec again = SpecOf(entry, options ?? new EntryOptions(), tagBuffer);
        EntrySpec put = SpecOf(options, isNull, tagBuffer);
        Debug.Assert(put.Tags.IsEmpty || put.Tags == again.Tags, "Both have hashed the options' tags into one buffer.");
        if (put.ExpiresAt == long.MaxValue)
            return again;
        return put with
        {
            FailSafeTicks = put.FailSafeTicks == 0 && options?.FailSafeMaxAge == null ? entry.FailSafeTicks : put.FailSafeTicks,
            Priority = again.Priority,
            Tags = again.Tags,
        };
    }

    /// <summary>The spec of a put that keeps the lifetime of the entry that it replaces.</summary>
    /// <param name="entry">The present entry.</param>
    /// <param name="options">The put's options, for all else.</param>
    /// <param name="tagBuffer">A buffer for <see cref="EntryHead.MaxTags"/> hashes; the result points into it.</param>
    internal EntrySpec SpecOver(in EntryCopy entry, EntryOptions? options, Span<ulong> tagBuffer)
    {
        EntrySpec spec = SpecOf(options, isNull: false, tagBuffer);
        return spec with
        {
            ExpiresAt = entry.ExpiresAt,
            SlidingTicks = entry.SlidingTicks,
            SlidingEnd = entry.SlidingEnd,
            FailSafeTicks = entry.FailSafeTicks,
        };
    }

    // The absolute expiry, which no use extends. For an entry that does not slide, its expiry.
    private long EndOf(in EntryCopy entry, EntryOptions options, long until, long now)
    {
        if (options.MaxAge == null && options.ExpiresAt == null)
        {
            long life = entry.SlidingEnd - table.Clock.PutAt(entry.Info.Version);
            return entry.SlidingEnd == long.MaxValue ? long.MaxValue : CacheClock.Add(now, Math.Max(1, life));
        }
        return options.MaxAge is { } age ? Math.Min(until, CacheClock.Add(now, RequirePositive(age, nameof(EntryOptions.MaxAge)))) : until;
    }

    private long InCacheTime(DateTimeOffset? instant)
    {
        if (instant is not { } end)
            return long.MaxValue;
        table.Clock.Follow();
        return table.Clock.FromSystem(end.UtcTicks);
    }

    /// <summary>Converts a spec in system time to cache time.</summary>
    internal EntrySpec InCacheTime(in EntrySpec spec)
    {
        if (spec.ExpiresAt == long.MaxValue)
            return spec;
        table.Clock.Follow();
        return spec with
        {
            ExpiresAt = table.Clock.FromSystem(spec.ExpiresAt),
            SlidingEnd = table.Clock.FromSystem(spec.SlidingEnd),
            FailSafeTicks = UseFailSafe(spec.FailSafeTicks),
        };
    }

    [DoesNotReturn]
    private static void RefusePriority(EntryPriority priority) => throw new ArgumentOutOfRangeException(
        nameof(EntryOptions.Priority), priority, "EntryOptions.Priority must be Low, Normal, High or NeverEvict.");

    private static long RequireNotNegative(TimeSpan time, string name)
    {
        if (time < TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(name, time, $"EntryOptions.{name} must be at least zero.");
        return time.Ticks;
    }

    private static long RequirePositive(TimeSpan time, string name)
    {
        if (time <= TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(name, time, $"EntryOptions.{name} must be above zero.");
        return time.Ticks;
    }

    internal static ulong[] TagHashesOf(EntryOptions? options) =>
        options?.Tags == null ? [] : HashTags(options.Tags, stackalloc ulong[EntryHead.MaxTags]).ToArray();

    private static Span<ulong> HashTags(IReadOnlyCollection<string>? tags, Span<ulong> buffer)
    {
        if (tags == null)
            return default;
        if (tags.Count > EntryHead.MaxTags)
            throw new ArgumentException($"The entry has {tags.Count:N0} tags; {EntryHead.MaxTags} are allowed.", nameof(EntryOptions.Tags));
        Debug.Assert(buffer.Length >= EntryHead.MaxTags, "Every tag's hash fits.");
        int count = 0;
        foreach (string tag in tags)
        {
            ArgumentException.ThrowIfNullOrEmpty(tag, nameof(EntryOptions.Tags));
            buffer[count++] = TagHash.Of(tag);
        }
        return buffer[..count];
    }
}
