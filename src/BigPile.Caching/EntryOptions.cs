using System;
using System.Collections.Generic;
using BigPile.Caching.Entries;

namespace BigPile.Caching;

/// <summary>
/// How an entry is put. What is left out comes from the table's options; in
/// <see cref="CacheTable{TKey, TValue}.Touch(TKey, EntryOptions)"/> it stays as the entry has it.
/// </summary>
/// <remarks>Thread safety: instances may be shared once they are made, and used for any number of puts.</remarks>
public sealed record EntryOptions
{
    /// <summary>The most tags of an entry.</summary>
    public const int MaxTags = EntryHead.MaxTags;

    /// <summary>
    /// The age at which the entry expires; above zero. Where neither this nor <see cref="ExpiresAt"/> is given, a put takes
    /// <see cref="TableOptions.DefaultMaxAge"/>, and without that the entry has no end.
    /// </summary>
    public TimeSpan? MaxAge { get; init; }

    /// <summary>When the entry expires. With <see cref="MaxAge"/> as well, the earlier of the two counts.</summary>
    public DateTimeOffset? ExpiresAt { get; init; }

    /// <summary>
    /// The sliding time: the entry expires when it is not used for this long, or earlier by age; above zero. It may stay for a sixteenth of
    /// that time longer, as uses are written ahead; never shorter. Where it is left out, a put takes
    /// <see cref="TableOptions.DefaultSliding"/>, and without that uses extend nothing.
    /// </summary>
    public TimeSpan? Sliding { get; init; }

    /// <summary>
    /// How long an expired entry stays as a stale one, which is missing to all calls but those that make values
    /// (<see cref="CacheTable{TKey, TValue}.GetOrAdd(TKey, Func{TKey, TValue}, EntryOptions)"/> and the like): they get it where their
    /// factory fails or takes too long. Zero: not at all. Where it is left out, a put takes
    /// <see cref="TableOptions.DefaultFailSafeMaxAge"/>. An entry that does not expire ignores it.
    /// </summary>
    public TimeSpan? FailSafeMaxAge { get; init; }

    /// <summary>
    /// In place of <see cref="MaxAge"/> where the value is <see langword="null"/>, as for a key that the source does not have; above zero.
    /// Where it is left out, a put takes <see cref="TableOptions.NullMaxAge"/>, and without that a null lives as any other value.
    /// </summary>
    public TimeSpan? NullMaxAge { get; init; }

    /// <summary>
    /// A random time up to this one is added to the age at which the entry expires, so that entries put together do not expire together;
    /// from zero. Where it is left out, a put takes <see cref="TableOptions.MaxAgeJitter"/>. <see cref="ExpiresAt"/> stays exact.
    /// </summary>
    public TimeSpan? MaxAgeJitter { get; init; }

    /// <summary>
    /// Whether a put of a key that is there keeps the lifetime of the present entry, its sliding and fail-safe times included; what else
    /// these options say about lifetimes is then for a new key only. Where it is left out, a put takes
    /// <see cref="TableOptions.KeepsLifetime"/>: by default each put begins a new lifetime.
    /// </summary>
    public bool? KeepsLifetime { get; init; }

    /// <summary>
    /// A caller waits so long for a factory if there is a stale value; then it gets that one, and the run goes on in the background. Above
    /// zero, up to 7 days; where it is left out, <see cref="TableOptions.FactorySoftTimeout"/>.
    /// </summary>
    public TimeSpan? FactorySoftTimeout { get; init; }

    /// <summary>
    /// A caller waits so long for a factory, and no longer: then it gets a stale value, or a <see cref="TimeoutException"/>, and a run that
    /// nobody waits for any more is cancelled. Above zero, up to 7 days; where it is left out,
    /// <see cref="TableOptions.FactoryHardTimeout"/>.
    /// </summary>
    public TimeSpan? FactoryHardTimeout { get; init; }

    /// <summary>
    /// How soon a factory is tried again after it failed and a stale value was given: until then the stale value is given at once; from
    /// zero to 7 days. Where it is left out, <see cref="TableOptions.FailSafeThrottle"/>.
    /// </summary>
    public TimeSpan? FailSafeThrottle { get; init; }

    /// <summary>
    /// The share of its lifetime from which on a read that makes values has the factory run in the background, while it returns the present
    /// value: above 0, below 1. Where it is left out, <see cref="TableOptions.EagerRefresh"/>. Calls for many keys refresh nothing.
    /// </summary>
    public double? EagerRefresh { get; init; }

    /// <summary>The entry's worth when entries are evicted.</summary>
    public EntryPriority? Priority { get; init; }

    /// <summary>Names by which the entry can be removed together with others; up to 64, none of them empty.</summary>
    public IReadOnlyCollection<string>? Tags { get; init; }
}
