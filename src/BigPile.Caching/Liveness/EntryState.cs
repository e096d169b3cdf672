namespace BigPile.Caching.Liveness;

/// <summary>Whether an entry is live, and if not, why.</summary>
internal enum EntryState : byte
{
    /// <summary>Live.</summary>
    Live,

    /// <summary>A tombstone, which records that the key was removed; see <see cref="Entries.ValueKind.Tombstone"/>.</summary>
    Tombstone,

    /// <summary>Expired. May be freed.</summary>
    Expired,

    /// <summary>Removed by its tag or by a clear. May be freed.</summary>
    Invalidated,
}
