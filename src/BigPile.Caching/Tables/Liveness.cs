namespace BigPile.Caching.Tables;

/// <summary>Whether an entry whose block is there is still one, and if not, why.</summary>
internal enum Liveness : byte
{
    /// <summary>It is one.</summary>
    Live,

    /// <summary>It is the mark of a removed key; see <see cref="Entries.ValueKind.Tombstone"/>.</summary>
    Tombstone,

    /// <summary>Its time is over. Who meets it may free it.</summary>
    Expired,

    /// <summary>Its tag, or the whole table, was removed. Who meets it may free it.</summary>
    Invalidated,
}
