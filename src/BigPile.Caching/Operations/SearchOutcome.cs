namespace BigPile.Caching.Operations;

/// <summary>What a search came to.</summary>
internal enum SearchOutcome
{
    /// <summary>What it looked at has changed meanwhile: it is to be made once more.</summary>
    Again,
    Miss,
    Hit,

    /// <summary>The entry is found and no more; a miss that leaves something to clear away.</summary>
    Dead,
}
