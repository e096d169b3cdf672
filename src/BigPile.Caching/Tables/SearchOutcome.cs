namespace BigPile.Caching.Tables;

/// <summary>The outcome of a search.</summary>
internal enum SearchOutcome
{
    /// <summary>Something changed meanwhile: search again.</summary>
    Again,
    Miss,
    Hit,

    /// <summary>The entry was found dead: a miss that leaves something to free.</summary>
    Dead,
}
