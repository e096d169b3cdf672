using System;

namespace BigPile.Caching;

/// <summary>A change of a table.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TValue">The type of the values.</typeparam>
/// <remarks>
/// Changes of one key come in the order in which they were made. Apply a put if its <see cref="Version"/> is at least that of what you
/// hold; let go what is at or below <see cref="GoneUpTo"/>. Then a change that comes twice does no harm.
/// </remarks>
public readonly record struct Change<TKey, TValue>
    where TKey : notnull
{
    /// <summary>What happened.</summary>
    public ChangeKind Kind { get; init; }

    /// <summary>The key; the default value where the change has none, as that of a tag.</summary>
    public TKey Key { get; init; }

    /// <summary>The version of the change, higher than that of every change before; of a put, the entry's.</summary>
    public ulong Version { get; init; }

    /// <summary>
    /// Where entries are gone, the version up to which they are: of the key, with the tag, or all; 0 for a put. A later put of the key has
    /// a higher one.
    /// </summary>
    public ulong GoneUpTo { get; init; }

    /// <summary>
    /// When the entry that was put expires, unless a use extends a sliding expiry, which is not told; <see langword="null"/>: never, or not
    /// a put.
    /// </summary>
    public DateTimeOffset? ExpiresAt { get; init; }

    /// <summary>
    /// The hashes of the tags of the entry that was put, or of the tag that was removed: compare them with
    /// <see cref="CacheTable.HashOfTag"/>.
    /// </summary>
    public ReadOnlyMemory<ulong> TagHashes { get; init; }

    /// <summary>The value that was put, where <see cref="HasValue"/>.</summary>
    public TValue? Value { get; init; }

    /// <summary>
    /// Whether the reader asked for values, and this has one. A put without one is superseded: a later change of the key comes, or the
    /// entry has expired.
    /// </summary>
    public bool HasValue { get; init; }

    /// <summary>Of an expired or evicted entry: its version, size and times, as they were.</summary>
    internal EntryInfo Info { get; init; }

    /// <summary>Whether a value was put.</summary>
    public bool IsPut => Kind is ChangeKind.Added or ChangeKind.Replaced;
}
