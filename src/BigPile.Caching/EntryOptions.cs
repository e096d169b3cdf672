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

    /// <summary>The entry's worth when entries are evicted.</summary>
    public EntryPriority? Priority { get; init; }

    /// <summary>Names by which the entry can be removed together with others; up to 64, none of them empty.</summary>
    public IReadOnlyCollection<string>? Tags { get; init; }
}
