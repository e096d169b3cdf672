namespace BigPile.Caching.Eviction.Policies;

/// <summary>The capacity of a table: a number of entries, and their total weight.</summary>
/// <param name="Entries">The entries, at least one.</param>
/// <param name="Weight">Their weight: bytes in a table that is limited in bytes, else one for each.</param>
internal readonly record struct TableCapacity(long Entries, double Weight)
{
    internal double MeanWeight => Weight / Entries;
}
