namespace BigPile.Caching;

/// <summary>What a change of a table did.</summary>
public enum ChangeKind
{
    /// <summary>Nothing: no change has this kind.</summary>
    None,

    /// <summary>A value was put, and the key was missing; or, while a walk hands over, an entry that was met.</summary>
    Added,

    /// <summary>A value was put in place of another one, or its lifetime was renewed.</summary>
    Replaced,

    /// <summary>The entry was removed by its key.</summary>
    Removed,

    /// <summary>
    /// The entry had expired, and was dropped: when it was met, which may be later than its end;
    /// <see cref="Change{TKey, TValue}.ExpiresAt"/> of the put tells that. An entry that stays behind its expiry for factories that fail is
    /// dropped at the end of that time.
    /// </summary>
    Expired,

    /// <summary>The entry was evicted, from memory and from the spill file.</summary>
    Evicted,

    /// <summary>All entries with a tag that were put before are gone.</summary>
    TagRemoved,

    /// <summary>All entries that were put before are gone.</summary>
    Cleared,
}
